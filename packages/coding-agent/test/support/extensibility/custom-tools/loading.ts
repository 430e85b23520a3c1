import { join } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import type { CustomToolBinding } from "../../../../src/extensibility/custom-tools/api.ts";
import type { CustomToolContext } from "../../../../src/extensibility/custom-tools/context.ts";
import type { CustomToolSource } from "../../../../src/extensibility/custom-tools/discovery.ts";
import {
  type CustomToolsOptions,
  loadCustomTools,
} from "../../../../src/extensibility/custom-tools/load-custom-tools.ts";
import { createLogger } from "../../../../src/extensibility/logger.ts";
import { checkToolSchema } from "../../../../src/schemas/tool-schema.ts";

export function toSources(paths: readonly string[]): CustomToolSource[] {
  return paths.map((path) => ({ path, realPath: path, scope: "user" }));
}

/** Loads modules as a session would, one that is not there yet unless a test binds more. */
export function loadTools(
  folder: string,
  paths: readonly string[],
  { binding, ...options }: Partial<Omit<CustomToolsOptions, "binding">> & { binding?: Partial<CustomToolBinding> } = {},
) {
  return loadCustomTools(toSources(paths), {
    logger: createLogger(join(folder, "home")),
    publicExports: async () => ({ VERSION: "test" }),
    checkSchema: checkToolSchema,
    isTaken: () => false,
    report: ({ error }) => {
      throw new Error(error);
    },
    ...options,
    binding: Object.assign(binding ?? {}, { cwd: () => folder }),
  });
}

/** A module with one tool. `rest` is further source text inside the tool. */
export function toolModule(name: string, rest = "execute: async () => 'done'"): string {
  return `export default (pi) => ({
    name: "${name}", label: "Label", description: "What it does", parameters: pi.typebox.Type.Object({}), ${rest} });`;
}

/** Enough of a context for tools that only hand it around. */
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
