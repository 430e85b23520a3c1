import type { Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { ToolContext } from "./tool-context.ts";

/** The part of a tool that is loaded when it is first called. */
export interface ToolImplementation<P extends TSchema, D, C = ToolContext> {
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation, context: C): Promise<ToolResult<D>>;
  /** As in Tool. */
  preview?(args: Static<P>, context: C): Promise<string | undefined>;
}

/** What a call does to the world, for those who decide whether it may run. */
export type ToolAccess =
  | { kind: "read" | "write"; paths(args: Readonly<Record<string, unknown>>): readonly string[] }
  | { kind: "execute"; command(args: Readonly<Record<string, unknown>>): ShellCall };

export interface ShellCall {
  text: string;
  cwd?: string;
  hasOwnEnvironment: boolean;
  /** What is set for it, as the model says it. */
  env?: Record<string, string>;
  /** Why it must run outside of the sandbox. */
  escalation?: string;
}

/** What other rooms ask of a tool by its name, also of calls in conversations that are long over. */
export interface ToolFacets {
  /** What it does to the files that `path` and `paths` of a call name. */
  files?: "reads" | "changes";
  /** Without one a call changes nothing but the session itself. */
  access?: ToolAccess;
  /** What it returned is not pruned: the model would only have to ask for it again. */
  keepsOutput?: boolean;
  /** The same call is made again and again by design, until what it waits for has happened. */
  polls?: boolean;
  /** One line on what a call is about, where no argument alone says it. What a model sends may be anything. */
  headline?(args: Readonly<Record<string, unknown>>): string | undefined;
}

/** When a tool is there at all. */
interface Availability {
  /** The setting that takes it away. */
  enabledBy?: "todo.enabled";
  /** Known, but offered only while a user can be asked. */
  needsAnswers?: boolean;
  /** What pi, omp, xcsh and their scripts call it, in small letters. */
  familyNames?: readonly string[];
}

/**
 * A built-in tool as one declaration. It is read at every start, so it holds names and texts only: its schema is built when
 * the tool is first offered and its code is loaded when it is first called.
 */
export interface ToolDeclaration<P extends TSchema = TSchema, D = unknown, C = ToolContext>
  extends Omit<Tool<P, D>, "parameters" | "execute" | "preview" | "serializeOn">,
    ToolFacets,
    Availability {
  parameters(context: C): P;
  load(): Promise<ToolImplementation<P, D, C>>;
  /** As in Tool, with the context to resolve paths against. */
  serializeOn?(args: Static<P>, context: C): readonly string[];
}

/** Lets a declaration infer its types. */
export function declareTool<P extends TSchema, D, C = ToolContext>(
  declaration: ToolDeclaration<P, D, C>,
): ToolDeclaration<P, D, C> {
  return declaration;
}

export function createTool<P extends TSchema, D, C>(declaration: ToolDeclaration<P, D, C>, context: C): Tool<P, D> {
  const { parameters, load, serializeOn, ...rest } = declaration;
  let schema: P | undefined;
  return {
    ...rest,
    get parameters() {
      schema ??= parameters(context);
      return schema;
    },
    ...(serializeOn && { serializeOn: (args: Static<P>) => serializeOn(args, context) }),
    preview: async (args) => (await load()).preview?.(args, context),
    execute: async (args, call) => (await load()).execute(args, call, context),
  };
}
