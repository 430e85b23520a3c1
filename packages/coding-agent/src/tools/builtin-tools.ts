import type { Tool } from "@pintle/agent";
import type { TSchema } from "typebox";
import { type AskContext, askTool } from "./ask.ts";
import { astEditTool } from "./ast-edit.ts";
import { astGrepTool } from "./ast-grep.ts";
import { bashTool } from "./bash.ts";
import { createTool, type ToolDeclaration, type ToolFacets } from "./define-tool.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { jobTool } from "./job.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { resolveTool } from "./resolve.ts";
import { type TaskContext, taskTool } from "./task.ts";
import { type TodoWriteContext, todoWriteTool } from "./todo-write.ts";
import type { ToolContext } from "./tool-context.ts";
import { writeTool } from "./write.ts";

/** The context that all tools together need. */
export type BuiltinContext = ToolContext & AskContext & TodoWriteContext & TaskContext;

/** The default tools in listing order. The session adds `resolve` itself. */
const OFFERED: readonly ToolDeclaration<TSchema, unknown, BuiltinContext>[] = [
  readTool,
  writeTool,
  editTool,
  bashTool,
  grepTool,
  findTool,
  lsTool,
  astGrepTool,
  astEditTool,
  todoWriteTool,
  askTool,
  jobTool,
  taskTool,
];

/** Every declaration. */
export const BUILTIN_TOOLS: readonly (ToolFacets & { name: string; aliases?: readonly string[] })[] = [
  ...OFFERED,
  resolveTool,
];

export function createBuiltinTools(context: BuiltinContext): { tool: Tool; isHidden: boolean }[] {
  const isEnabled = ({ enabledBy, needsJobs, needsDelegation }: (typeof OFFERED)[number]) =>
    (enabledBy === undefined || context.settings.get(enabledBy)) &&
    (!needsJobs || context.jobs !== undefined) &&
    (!needsDelegation || context.delegation?.isAllowed === true);
  return OFFERED.filter(isEnabled).map((declaration) => ({
    tool: createTool(declaration, context),
    isHidden: declaration.needsAnswers === true,
  }));
}

/** Tools that the model is offered only while a user can answer. */
export const ASKING_TOOL_NAMES = OFFERED.filter(({ needsAnswers }) => needsAnswers).map(({ name }) => name);

/** Names that no other tool may have. */
export const BUILTIN_TOOL_NAMES: ReadonlySet<string> = new Set(BUILTIN_TOOLS.map(({ name }) => name));

/** Other agents' names for the tools. */
export const FAMILY_NAMES: ReadonlyMap<string, string> = new Map(
  OFFERED.flatMap(({ name, familyNames = [] }) => familyNames.map((other): [string, string] => [other, name])),
);
