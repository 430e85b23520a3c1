import { join } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { CustomToolContext } from "../../../../src/extensibility/api/session-types.ts";
import type { CustomToolBinding } from "../../../../src/extensibility/custom-tools/custom-tool-api.ts";
import { CustomTools, type CustomToolsParts } from "../../../../src/extensibility/custom-tools/custom-tools.ts";
import type { LoadFault } from "../../../../src/extensibility/loading/load-fault.ts";
import type { ModuleSource } from "../../../../src/extensibility/sources/discovery.ts";

function toSources(paths: readonly string[]): ModuleSource[] {
  return paths.map((path) => ({ path, realPath: path, scope: "user" }));
}

type LoadOptions = Partial<Omit<CustomToolsParts, "binding" | "report">> & { binding?: Partial<CustomToolBinding> };

/** Loads modules as a session would, before the session exists unless a test binds it. */
export async function loadTools(folder: string, paths: readonly string[], { binding, ...options }: LoadOptions = {}) {
  const errors: LoadFault[] = [];
  const set = await CustomTools.load(toSources(paths), {
    home: join(folder, "home"),
    publicExports: async () => ({ VERSION: "test" }),
    isTaken: () => false,
    report({ event, ...fault }) {
      if (event !== "load") throw new Error(fault.error);
      errors.push(fault);
    },
    ...options,
    binding: Object.assign(binding ?? {}, { cwd: () => folder }),
  });
  return {
    set,
    /** The modules that were ready in time. */
    tools: set.tools,
    errors,
    names: () => set.tools.map(({ tool }) => tool.name),
    /** Runs the modules again as they are now. */
    async reload() {
      errors.length = 0;
      await set.reload(toSources(paths));
      return { tools: set.tools, errors };
    },
  };
}

/** A module with one tool. `rest` is further source text inside the tool. */
export function toolModule(name: string, rest = "execute: async () => 'done'"): string {
  return `export default (pi) => ({
    name: "${name}", label: "Label", description: "What it does", parameters: pi.typebox.Type.Object({}), ${rest} });`;
}

/** A minimal context for tools that only pass it on. */
export function fakeContext(fields: Partial<CustomToolContext> = {}): () => CustomToolContext {
  return () => fields as CustomToolContext;
}

export interface TestCall extends ToolInvocation {
  updates: ToolResult[];
}

export function testCall(signal: AbortSignal = new AbortController().signal): TestCall {
  const updates: ToolResult[] = [];
  return {
    id: "call-1",
    signal,
    steeringSignal: new AbortController().signal,
    update: (partial) => void updates.push(partial),
    updates,
    batch: { id: "batch", index: 0, total: 1, names: [] },
  };
}
