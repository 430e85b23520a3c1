import type { Tool } from "@pintle/agent";
import type { CustomToolContext } from "../api/session-types.ts";
import { progressOf, toToolResult } from "../api/tool-results.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import type { CheckedTool } from "./check-tool.ts";
import type { CustomToolBinding } from "./custom-tool-api.ts";

/** Converts a custom tool to the form that the loop uses. */
export function adaptTool(checked: CheckedTool, binding: CustomToolBinding): Tool {
  const { name, label, description, parameters, isDeferrable, texts, declaration } = checked;
  return {
    name,
    label,
    description,
    parameters,
    ...texts,
    ...(isDeferrable && { deferrable: true }),
    async execute(args, call) {
      const onUpdate = progressOf(call);
      const context = requireContext(binding);
      const run = () => declaration.execute(call.id, args, onUpdate, context, call.signal);
      return toToolResult(await asUsersCode(`the tool ${name}`, run));
    },
  };
}

export function requireContext({ context }: CustomToolBinding): CustomToolContext {
  if (!context) throw new Error("Custom tools cannot be called before the session has started.");
  return context();
}
