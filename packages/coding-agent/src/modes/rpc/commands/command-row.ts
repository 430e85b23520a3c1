import type { Static, TObject, TSchema } from "typebox";
import { Type } from "../../../schemas/type.ts";
import type { LaneRule } from "./command-lanes.ts";
import type { ServerFrame } from "./rpc-types.ts";

/** What is wrong with one field of a request. */
export interface FieldFault {
  field: string;
  mustBe: string;
}

/**
 * A command of the protocol. Validation, scheduling, types and the reference page follow from its row. Schemas are built
 * when they are first used: all of them together would cost several milliseconds before `ready`.
 */
export interface CommandRow<P extends TObject = TObject, R extends TSchema = TSchema> extends LaneRule {
  summary: string;
  /** What it may change and a notification tells: those that come while it is at work follow its answer. */
  announces?: readonly ServerFrame["type"][];
  params: () => P;
  result: () => R;
  /** A rule over several fields, which a schema of single fields cannot say. */
  check?(params: Static<P>): FieldFault | undefined;
}

export function row<P extends TObject, R extends TSchema>(command: CommandRow<P, R>): CommandRow<P, R> {
  return { ...command, params: once(command.params), result: once(command.result) };
}

function once<T>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

/** A type of the wire that is declared where it belongs; the schema names it, the TypeScript type is the real one. */
export function wireType<T>(name: string) {
  return Type.Unsafe<T>(Type.Ref(name));
}

export const noParams = () => Type.Object({});
/** The response has no `data`. */
export const noResult = () => Type.Void();
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
