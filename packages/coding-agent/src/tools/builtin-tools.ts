import type { Tool } from "@pintle/agent";
import { type AskContext, askTool } from "./ask.ts";
import { astEditTool } from "./ast-edit.ts";
import { astGrepTool } from "./ast-grep.ts";
import { bashTool } from "./bash.ts";
import { createTool } from "./define-tool.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { type TodoWriteContext, todoWriteTool } from "./todo-write.ts";
import type { ToolContext } from "./tool-context.ts";
import { writeTool } from "./write.ts";

/** What the tools need besides the context that all of them share. */
export interface BuiltinContexts {
  ask: AskContext;
  todos: TodoWriteContext;
}

/** The hands of the agent. */
export function createBuiltinTools(
  context: ToolContext,
  { ask, todos }: BuiltinContexts,
): { tool: Tool; isHidden?: boolean }[] {
  return [
    { tool: createTool(readTool, context) },
    { tool: createTool(writeTool, context) },
    { tool: createTool(editTool, context) },
    { tool: createTool(bashTool, context) },
    { tool: createTool(grepTool, context) },
    { tool: createTool(findTool, context) },
    { tool: createTool(lsTool, context) },
    { tool: createTool(astGrepTool, context) },
    { tool: createTool(astEditTool, context) },
    { tool: createTool(todoWriteTool, todos) },
    // Needs somebody who can answer.
    { tool: createTool(askTool, ask), isHidden: true },
  ];
}

const DECLARATIONS = [
  ...[readTool, writeTool, editTool, bashTool, grepTool, findTool, lsTool, astGrepTool, astEditTool],
  ...[todoWriteTool, askTool],
];

/** Names that no other tool may have. */
export const BUILTIN_TOOL_NAMES: ReadonlySet<string> = new Set([...DECLARATIONS.map(({ name }) => name), "resolve"]);
