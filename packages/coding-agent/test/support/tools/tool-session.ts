import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { ProcessRunner } from "../../../../exec/src/processes/process-runner.ts";
import { Settings } from "../../../src/config/settings/settings.ts";
import { createTool, type ToolDeclaration } from "../../../src/tools/define-tool.ts";
import type { ToolContext } from "../../../src/tools/tool-context.ts";

export interface ToolSessionOptions {
  settings?: Record<string, unknown>;
  environment?: Record<string, string | undefined>;
}

export type ToolSession = ReturnType<typeof openToolSession>;

/** A directory with a real gateway, in which a built-in tool can be called as by the loop. */
export function openToolSession({ settings = {}, environment = process.env }: ToolSessionOptions = {}) {
  const base = scratchPath();
  const cwd = join(base, "project");
  const spills = join(base, "spills");
  mkdirSync(cwd);
  mkdirSync(spills);
  const processRunner = new ProcessRunner({ environment });
  let spillCount = 0;
  const context: ToolContext = {
    cwd: () => cwd,
    home: join(base, "home"),
    settings: Settings.inMemory(settings),
    processRunner: async () => processRunner,
    newSpillPath: async (tool) => join(spills, `${++spillCount}.${tool}.log`),
    takesImages: () => false,
    pushPendingAction: () => {},
  };
  return {
    cwd,
    spills,
    processRunner,
    context,
    /** Writes files, by relative path. */
    write(files: Record<string, string | Uint8Array>) {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), content);
      }
    },
    call<P extends TSchema, D>(
      tool: ToolDeclaration<P, D>,
      args: Static<P>,
      { signal = new AbortController().signal, update = () => {} }: Partial<ToolInvocation> = {},
    ): Promise<ToolResult<D>> {
      return createTool(tool, context).execute(args, {
        id: "call-1",
        signal,
        steeringSignal: new AbortController().signal,
        update,
        batch: { id: "batch-1", index: 0, total: 1, names: [tool.name] },
      });
    },
    async close() {
      await processRunner.killAll("shutdown", 0);
      rmSync(base, { recursive: true, force: true });
    },
  };
}
