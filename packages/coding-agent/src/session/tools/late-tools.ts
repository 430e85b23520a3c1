import type { Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";

/** Calls a tool that requests do not declare. */
export const LATE_TOOL_NAME = "call_late_tool";
/** Finds a tool that requests do not declare. */
export const SEARCH_TOOL_NAME = "search_late_tools";

/**
 * Creates the tool that calls tools that arrive late or are too many to declare. The first request already declares it. A call of
 * it becomes a call of the tool that it names, and hooks, permissions and hosts see only that call.
 */
export function lateToolCall(find: (name: string) => Tool | undefined): Tool {
  return {
    name: LATE_TOOL_NAME,
    label: "Late tool",
    description: "Call a tool that a message has announced or a search has found.",
    parameters: Type.Object({ name: Type.String(), arguments: Type.Unsafe({ type: "object" }) }),
    forward(args) {
      const tool = typeof args.name === "string" && args.name !== LATE_TOOL_NAME ? find(args.name) : undefined;
      return tool && { tool, args: isRecord(args.arguments) ? args.arguments : {} };
    },
    async execute(args) {
      throw new Error(`There is no tool ${String((args as { name?: unknown }).name)}.`);
    },
  };
}

/** Creates the tool that searches the deferred ones. `load` receives the names whose schemas the model has seen. */
export function toolSearch(deferred: () => readonly Tool[], load: (names: readonly string[]) => void): Tool {
  return {
    name: SEARCH_TOOL_NAME,
    label: "Search tools",
    description: `Finds tools that are not declared, by their names or by words about what they do, and gives their schemas. ${LATE_TOOL_NAME} calls them.`,
    parameters: Type.Object({ query: Type.String() }),
    async execute(args) {
      const { findTools } = await import("./find-tools.ts");
      const { text, names } = findTools(isRecord(args) ? String(args.query) : "", deferred());
      load(names);
      return { content: [{ type: "text", text }], details: { tools: names } };
    },
  };
}
