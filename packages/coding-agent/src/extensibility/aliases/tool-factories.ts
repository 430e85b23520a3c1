import { prepareArguments, type ToolInvocation, type ToolResult } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { TSchema } from "typebox";
import type { BashOperations } from "../../tools/bash/run-command.ts";
import { bashTool } from "../../tools/bash.ts";
import { createTool, type ToolDeclaration } from "../../tools/define-tool.ts";
import { editTool } from "../../tools/edit.ts";
import { findTool } from "../../tools/find.ts";
import { grepTool } from "../../tools/grep.ts";
import { lsTool } from "../../tools/ls.ts";
import { readTool } from "../../tools/read.ts";
import type { ToolContext } from "../../tools/tool-context.ts";
import { writeTool } from "../../tools/write.ts";
import type { BashToolOptions } from "./bash-tool.ts";
import type { FileOperations } from "./file-operations.ts";
import { standaloneContext } from "./standalone-context.ts";

/** A built-in tool outside a session, in the form of a tool that an extension registers. */
export interface StandaloneTool {
  name: string;
  label: string;
  description: string;
  parameters: TSchema;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  executionMode?: "sequential";
  prepareArguments?(args: unknown): Record<string, unknown>;
  execute(
    toolCallId: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
    onUpdate?: (partial: ToolResult) => void,
    ctx?: unknown,
  ): Promise<ToolResult>;
}

type Options = { operations?: unknown } & Omit<BashToolOptions, "operations">;
type Run = (args: never, call: ToolInvocation, context: ToolContext) => Promise<ToolResult>;

/** Returns a replacement implementation if the options request one. */
type Redirect = (options: Options) => Run | undefined;

function factoryOf<P extends TSchema, D>(declaration: ToolDeclaration<P, D>, redirect: Redirect) {
  return (cwd: string, options: Options = {}): StandaloneTool => {
    const context = standaloneContext(cwd);
    const tool = createTool(declaration, context);
    const other = redirect(options);
    const { promptSnippet, promptGuidelines } = tool;
    return {
      name: tool.name,
      label: tool.label,
      description: tool.description,
      get parameters() {
        return tool.parameters;
      },
      ...(promptSnippet !== undefined && { promptSnippet }),
      ...(promptGuidelines && { promptGuidelines }),
      ...(tool.concurrency === "exclusive" && { executionMode: "sequential" as const }),
      prepareArguments: (args: unknown) => (isRecord(args) ? prepareArguments(tool, args) : {}),
      execute(toolCallId, args, signal, onUpdate) {
        const call = invocation(tool.name, toolCallId, signal, onUpdate);
        return other ? other(args as never, call, context) : tool.execute(args as never, call);
      },
    };
  };
}

function invocation(
  name: string,
  id: string,
  signal = new AbortController().signal,
  update: ToolInvocation["update"] = () => {},
): ToolInvocation {
  const batch = { id, index: 0, total: 1, names: [name] };
  return { id, signal, steeringSignal: new AbortController().signal, update, batch };
}

const overFiles = (
  run: (files: typeof import("./file-operations.ts"), operations: FileOperations) => Run,
): Redirect => {
  return ({ operations }) => {
    if (!operations) return undefined;
    return async (args, call, context) =>
      run(await import("./file-operations.ts"), operations as FileOperations)(args, call, context);
  };
};

const refuseOperations: Redirect = ({ operations }) => {
  if (operations) throw new Error("This tool has no operations in pintle");
  return undefined;
};

export const createReadTool = factoryOf(
  readTool,
  overFiles(
    ({ readOver }, operations) =>
      (args, _call, { cwd }) =>
        readOver(args, cwd(), operations),
  ),
);
export const createWriteTool = factoryOf(
  writeTool,
  overFiles(
    ({ writeOver }, operations) =>
      (args, _call, { cwd }) =>
        writeOver(args, cwd(), operations),
  ),
);
export const createEditTool = factoryOf(
  editTool,
  overFiles(
    ({ editOver }, operations) =>
      (args, _call, { cwd }) =>
        editOver(args, cwd(), operations),
  ),
);
export const createBashTool = factoryOf(bashTool, ({ operations, spawnHook, commandPrefix }) => {
  if (!operations && !spawnHook && !commandPrefix) return undefined;
  const options = { operations, spawnHook, commandPrefix } as BashToolOptions;
  return async (args, call, context) => (await import("./bash-tool.ts")).runBash(args, call, context, options);
});
export const createGrepTool = factoryOf(grepTool, refuseOperations);
export const createFindTool = factoryOf(findTool, refuseOperations);
export const createLsTool = factoryOf(lsTool, refuseOperations);

/** Runs commands on this machine, for extensions that wrap them. */
export const createLocalBashOperations = (): BashOperations => ({
  exec: async (...args) => (await import("./bash-tool.ts")).createLocalBashOperations().exec(...args),
});

/** Tools that modify files or run commands, and read-only tools. */
export const createCodingTools = (cwd: string): StandaloneTool[] =>
  [createReadTool, createBashTool, createEditTool, createWriteTool].map((create) => create(cwd));
export const createReadOnlyTools = (cwd: string): StandaloneTool[] =>
  [createReadTool, createGrepTool, createFindTool, createLsTool].map((create) => create(cwd));
