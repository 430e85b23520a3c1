import type { Concurrency, ParameterNames, Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { ToolContext } from "./tool-context.ts";

/** The part of a tool that is loaded when it is first called. */
export interface ToolImplementation<P extends TSchema, D, C = ToolContext> {
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation, context: C): Promise<ToolResult<D>>;
  /** See `Tool`. */
  preview?(args: Static<P>, context: C): Promise<string | undefined>;
}

/** The effects of a call, by which permissions decide whether it may run. */
export type ToolAccess =
  | { kind: "read" | "write"; paths(args: Readonly<Record<string, unknown>>): readonly string[] }
  /** Applies the newest preview if `applies` returns true, and changes nothing otherwise. */
  | { kind: "preview"; applies(args: Readonly<Record<string, unknown>>): boolean }
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

/** Facts about a tool that other folders look up by name, also for calls in old conversations. */
export interface ToolFacets {
  /** Names that models use for its parameters. */
  parameterNames?: ParameterNames;
  /** What it does to the files that `path` and `paths` of a call name. */
  files?: "reads" | "changes";
  /** Absent if a call changes only the session itself. */
  access?: ToolAccess;
  /** Whether its results are exempt from pruning, because the model would have to request them again. */
  keepsOutput?: boolean;
  /** Whether identical calls repeat by design, until an awaited event has happened. */
  polls?: boolean;
  /** One line on what a call is about, where no argument alone says it. What a model sends may be anything. */
  headline?(args: Readonly<Record<string, unknown>>): string | undefined;
}

/** When a tool is available. */
interface Availability {
  /** The setting that removes it. */
  enabledBy?: "todo.enabled";
  /** Known, but offered only while a user can be asked. */
  needsAnswers?: boolean;
  /** Its names in pi, omp, xcsh and their scripts, in lower case. */
  familyNames?: readonly string[];
}

/**
 * A built-in tool as one declaration. It is read at every start, so it contains only names and descriptions: its schema
 * is built when the tool is first offered and its code is loaded when it is first called.
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

/** The effects of a call decide which calls it may run in parallel with, unless the tool declares its own rule. */
const CONCURRENCY: Readonly<Record<ToolAccess["kind"], Concurrency>> = {
  read: "read",
  write: "write",
  preview: "exclusive",
  execute: "command",
};

/** A call that only reads gives a wrong answer at worst, and the model reads why. */
function changesSomething({ access, files }: ToolFacets): boolean {
  return access?.kind !== "read" || files === "changes";
}

export function createTool<P extends TSchema, D, C>(declaration: ToolDeclaration<P, D, C>, context: C): Tool<P, D> {
  const { parameters, load, serializeOn, ...rest } = declaration;
  let schema: P | undefined;
  return {
    ...(rest.access && { concurrency: CONCURRENCY[rest.access.kind] }),
    parameterNames: {},
    unknownParameters: changesSomething(rest) ? "refuse" : "note",
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
