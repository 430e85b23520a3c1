import { isDefinedCustomTool } from "./custom-tools/define-custom-tool.ts";
import type { CustomTool } from "./custom-tools/types.ts";
import type { ExtensionFactory, ToolDefinition } from "./extensions/types.ts";

/** A tool of a program that embeds pintle: with the arguments of extensions, or made with `defineCustomTool`. */
export type GivenTool = ToolDefinition | CustomTool;

/** Tools that are handed over join like those of an extension. */
export function toolsExtension(tools: readonly GivenTool[]): ExtensionFactory {
  return (pi) => {
    for (const tool of tools)
      pi.registerTool(isDefinedCustomTool(tool) ? inExtensionOrder(tool) : (tool as ToolDefinition));
  };
}

function inExtensionOrder(tool: CustomTool): ToolDefinition {
  return {
    ...tool,
    execute: (id, params, signal, onUpdate, ctx) =>
      tool.execute(id, params as never, onUpdate as never, ctx as never, signal),
  } as ToolDefinition;
}
