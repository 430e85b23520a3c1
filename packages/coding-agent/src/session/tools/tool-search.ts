import type { Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { LATE_TOOL_NAME, SEARCH_TOOL_NAME } from "./late-tool-names.ts";

export interface ToolSearchParts {
  /** Those that requests do not declare. */
  deferred(): readonly Tool[];
  /** The model knows these now. */
  load(names: readonly string[]): void;
}

/** Declared as long as there are tools that requests do not declare. */
export function toolSearch({ deferred, load }: ToolSearchParts): Tool {
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
