import type { Concurrency, ParameterNames, Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { ToolContext } from "./tool-context.ts";

/** The part of a tool that its first call loads. */
export interface ToolImplementation<P extends TSchema, D, C = ToolContext> {
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation, context: C): Promise<ToolResult<D>>;
  /** See `Tool`. */
  preview?(args: Static<P>, context: C): Promise<string | undefined>;
}

/** The effects of a call, by which permissions decide whether it may run. */
export type ToolAccess =
  | {
      kind: "read" | "write";
      paths(args: Readonly<Record<string, unknown>>): readonly string[];
      /** Whether a path that is a URI of the host goes to the host. */
      takesUris?: true;
    }
  /** Applies the newest preview if `applies` returns true, and changes nothing otherwise. */
  | { kind: "preview"; applies(args: Readonly<Record<string, unknown>>): boolean }
  | { kind: "execute"; command(args: Readonly<Record<string, unknown>>): ShellCall };

export interface ShellCall {
  text: string;
  cwd?: string;
  hasOwnEnvironment: boolean;
  /** Environment variables that the model sets for it. */
  env?: Record<string, string>;
  /** The model's reason to run it outside the sandbox. */
  escalation?: string;
}

/** Facts about a tool that other folders look up by name, including for calls in stored conversations. */
export interface ToolFacets {
  /** Names that models use for its parameters. */
  parameterNames?: ParameterNames;
  /** What it does to the files in `path` and `paths` of a call. */
  files?: "reads" | "changes";
  /** Absent if a call changes only the session itself. */
  access?: ToolAccess;
  /** Exempts its results from pruning, because the model would have to request them again. */
  keepsOutput?: boolean;
  /** Whether identical calls are expected, for example while waiting for an event. */
  polls?: boolean;
  /** Summarizes a call in one line if no single argument does. Arguments come from a model and may be anything. */
  headline?(args: Readonly<Record<string, unknown>>): string | undefined;
}

/** When a tool is available. */
interface Availability {
  /** The setting that removes it. */
  enabledBy?: "todo.enabled";
  /** Whether the tool is offered only while a user can answer. */
  needsAnswers?: boolean;
  /** Offered only while commands may run in the background. */
  needsJobs?: boolean;
  /** Offered only where subagents may be started. */
  needsDelegation?: boolean;
  /** Its names in pi, omp, xcsh and their scripts, in lower case. */
  familyNames?: readonly string[];
}

/**
 * Declares a built-in tool. Every start reads all declarations, so one contains only names and descriptions. Its schema is
 * built when the tool is first offered, and its code is loaded with the first call.
 */
export interface ToolDeclaration<P extends TSchema = TSchema, D = unknown, C = ToolContext>
  extends Omit<Tool<P, D>, "parameters" | "execute" | "preview" | "serializeOn">,
    ToolFacets,
    Availability {
  parameters(context: C): P;
  /** The description of a session, if it is not the same in all of them. */
  describe?(context: C): string;
  load(): Promise<ToolImplementation<P, D, C>>;
  /** Like `Tool.serializeOn`, with the context that paths are resolved against. */
  serializeOn?(args: Static<P>, context: C): readonly string[];
}

/** Returns the declaration with inferred types. */
export function declareTool<P extends TSchema, D, C = ToolContext>(
  declaration: ToolDeclaration<P, D, C>,
): ToolDeclaration<P, D, C> {
  return declaration;
}

/** Derives from a tool's access which calls may run in parallel, unless the tool declares its own rule. */
const CONCURRENCY: Readonly<Record<ToolAccess["kind"], Concurrency>> = {
  read: "read",
  write: "write",
  preview: "exclusive",
  execute: "command",
};

/** Unknown parameters are only noted for tools that read: at worst the answer is wrong, and the model learns why. */
function changesSomething({ access, files }: ToolFacets): boolean {
  return access?.kind !== "read" || files === "changes";
}

export function createTool<P extends TSchema, D, C>(declaration: ToolDeclaration<P, D, C>, context: C): Tool<P, D> {
  const { parameters, load, serializeOn, describe, ...rest } = declaration;
  let schema: P | undefined;
  return {
    ...(rest.access && { concurrency: CONCURRENCY[rest.access.kind] }),
    parameterNames: {},
    unknownParameters: changesSomething(rest) ? "refuse" : "note",
    ...rest,
    ...(describe && { description: describe(context) }),
    get parameters() {
      schema ??= parameters(context);
      return schema;
    },
    ...(serializeOn && { serializeOn: (args: Static<P>) => serializeOn(args, context) }),
    preview: async (args) => (await load()).preview?.(args, context),
    execute: async (args, call) => (await load()).execute(args, call, context),
  };
}
