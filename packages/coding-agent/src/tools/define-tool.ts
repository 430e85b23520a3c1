import type { Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { Static, TSchema } from "typebox";
import type { ToolContext } from "./tool-context.ts";

/** The part of a tool that is loaded when it is first called. */
export interface ToolImplementation<P extends TSchema, D, C = ToolContext> {
  /** Throws an Error whose message the model should read. */
  execute(args: Static<P>, call: ToolInvocation, context: C): Promise<ToolResult<D>>;
}

/**
 * A built-in tool as one declaration. It is read at every start, so it holds names and texts only: its schema is built when
 * the tool is first offered and its code is loaded when it is first called.
 */
export interface ToolDeclaration<P extends TSchema = TSchema, D = unknown, C = ToolContext>
  extends Omit<Tool<P, D>, "parameters" | "execute" | "serializeOn"> {
  parameters(): P;
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
      schema ??= parameters();
      return schema;
    },
    ...(serializeOn && { serializeOn: (args: Static<P>) => serializeOn(args, context) }),
    execute: async (args, call) => (await load()).execute(args, call, context),
  };
}
