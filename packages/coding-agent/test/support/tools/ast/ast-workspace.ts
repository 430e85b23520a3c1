import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolInvocation } from "@pintle/agent";
import { scratchPath } from "../../../../../../test/support/scratch-directory.mjs";
import { textOf } from "../../../../../agent/test/support/tools.ts";
import { ProcessRunner } from "../../../../../exec/src/processes/process-runner.ts";
import { Settings } from "../../../../src/config/settings/settings.ts";
import type { PendingActionInput } from "../../../../src/previews/pending-action.ts";
import { type AstEditArguments, type AstEditDetails, execute as edit } from "../../../../src/tools/ast-edit/execute.ts";
import { type AstGrepArguments, type AstGrepDetails, execute as grep } from "../../../../src/tools/ast-grep/execute.ts";
import type { ToolContext } from "../../../../src/tools/tool-context.ts";

/** A directory with files, and the two tools that work in it. */
export class AstWorkspace {
  readonly directory = scratchPath();
  readonly home = join(this.directory, "pintle-home");
  readonly staged: PendingActionInput[] = [];
  readonly #processRunner = new ProcessRunner({ environment: process.env });
  readonly context: ToolContext;

  constructor(files: Record<string, string | Uint8Array> = {}, settings: Record<string, unknown> = {}) {
    this.write(files);
    this.context = {
      cwd: () => this.directory,
      home: this.home,
      settings: Settings.inMemory(settings),
      processRunner: async () => this.#processRunner,
      newSpillPath: () => Promise.reject(new Error("nothing is spilled here")),
      takesImages: () => false,
      pushPendingAction: (action) => this.staged.push(action),
    };
  }

  write(files: Record<string, string | Uint8Array>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), content);
    }
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  async grep(args: AstGrepArguments, signal?: AbortSignal): Promise<{ text: string; details: AstGrepDetails }> {
    const result = await grep(args, invocation(signal), this.context);
    return { text: textOf(result), details: result.details as AstGrepDetails };
  }

  async edit(args: AstEditArguments, signal?: AbortSignal): Promise<{ text: string; details: AstEditDetails }> {
    const result = await edit(args, invocation(signal), this.context);
    return { text: textOf(result), details: result.details as AstEditDetails };
  }

  /** Applies the newest staged change. */
  async apply(): Promise<{ text: string; isError: boolean; details: AstEditDetails }> {
    const action = this.staged.pop();
    if (!action) throw new Error("nothing is staged");
    const result = await action.apply("because");
    return { text: textOf(result), isError: result.isError === true, details: result.details as AstEditDetails };
  }

  /** Previews and applies. */
  async change(args: AstEditArguments): Promise<string> {
    await this.edit(args);
    return (await this.apply()).text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processRunner.killAll("shutdown");
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function invocation(signal = new AbortController().signal): ToolInvocation {
  return {
    id: "call_1",
    signal,
    steeringSignal: new AbortController().signal,
    update: () => {},
    batch: { id: "batch_1", index: 0, total: 1, names: [] },
  };
}
