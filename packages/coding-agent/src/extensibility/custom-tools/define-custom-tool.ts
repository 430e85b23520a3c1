import type { TSchema } from "typebox";
import type { CustomTool } from "./types.ts";

const defined = new WeakSet<object>();

/** Marks an object as a tool with the argument order of custom tools, and lets it infer its types. */
export function defineCustomTool<P extends TSchema, D>(tool: CustomTool<P, D>): CustomTool<P, D> {
  defined.add(tool);
  return tool;
}

export function isDefinedCustomTool(tool: object): tool is CustomTool {
  return defined.has(tool);
}
