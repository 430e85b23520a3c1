import type { TSchema } from "typebox";
import type { ExtensionFactory, ToolDefinition } from "./extension-types.ts";
import type { CustomTool } from "./tool-types.ts";

const defined = new WeakSet<object>();

/** Marks an object as a tool with the argument order of custom tools, and infers its types. */
export function defineCustomTool<P extends TSchema, D>(tool: CustomTool<P, D>): CustomTool<P, D> {
  defined.add(tool);
  return tool;
}

export function isDefinedCustomTool(tool: object): tool is CustomTool {
  return defined.has(tool);
}

/** A tool from a program that embeds pintle: either in the form that extensions use, or created with `defineCustomTool`. */
export type GivenTool = ToolDefinition | CustomTool;

/** Registers tools of the embedding program like those of an extension. */
export function toolsExtension(tools: readonly GivenTool[]): ExtensionFactory {
  return (pi) => {
    for (const tool of tools)
      pi.registerTool(isDefinedCustomTool(tool) ? inExtensionOrder(tool) : (tool as ToolDefinition));
  };
}

function inExtensionOrder(tool: CustomTool): ToolDefinition {
  return {
    ...tool,
    execute: (id, params, signal, onUpdate, ctx) => tool.execute(id, params, onUpdate, ctx, signal),
  };
}
