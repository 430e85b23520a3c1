import type { Tool } from "@pintle/agent";
import type { ExtensionContext, ToolDefinition } from "../api/extension-types.ts";
import { progressOf, toToolResult } from "../custom-tools/adapt-tool.ts";
import { type CheckedTool, checkTool } from "../custom-tools/check-tool.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import type { RegisteredTool } from "./extension-instance.ts";

/** The loop's form of a tool that an extension registers; a text says what is wrong with it. */
export function adaptExtensionTool(
  value: unknown,
  { path, context }: { path: string; context: () => ExtensionContext },
): RegisteredTool | string {
  const checked = checkTool(withLabel(value));
  if (typeof checked === "string") return checked;
  // Read once like the rest: the module may change the object later.
  const definition = value as ToolDefinition;
  const isHidden = checked.isHidden || definition.defaultInactive === true;
  return {
    tool: toTool(checked, definition, context),
    isHidden,
    path,
    onSession: (event) => definition.onSession?.(event, context()),
  };
}

function toTool(checked: CheckedTool, definition: ToolDefinition, context: () => ExtensionContext): Tool {
  const { name, label, description, parameters, isDeferrable, texts } = checked;
  const { executionMode, prepareArguments } = definition;
  return {
    name,
    label,
    description,
    parameters,
    ...texts,
    ...(isDeferrable && { deferrable: true }),
    ...(executionMode === "sequential" && { concurrency: "exclusive" as const }),
    ...(typeof prepareArguments === "function" && {
      prepareArguments: (args) => prepareArguments.call(definition, args) as Record<string, unknown>,
    }),
    execute: async (args, call) => {
      const run = () => definition.execute(call.id, args, call.signal, progressOf(call), context());
      return toToolResult(await asUsersCode(`the tool ${name}`, run));
    },
  };
}

function withLabel(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { label, name }: { label?: unknown; name?: unknown } = value;
  return label === undefined ? Object.assign(Object.create(value), { label: name }) : value;
}
