import { Type } from "@pintle/ai/type";
import type { Static, TObject, TSchema } from "typebox";
import type { ServerFrame } from "../frames/server-frame.ts";
import type { LaneRule } from "./lane.ts";

/** A fault in one field of a request, for the error message. */
export interface FieldFault {
  field: string;
  mustBe: string;
}

/**
 * A command of the protocol. Validation, scheduling, types, the reference and the client are derived from its row.
 * Schemas are built on first use: all of them together would cost more than a millisecond before `ready`.
 */
export interface CommandRow<P extends TObject = TObject, R extends TSchema = TSchema, V extends TSchema = TSchema>
  extends LaneRule {
  summary: string;
  /** State that it may change and a notification reports: notifications during the command follow its response. */
  announces?: readonly ServerFrame["type"][];
  params: () => P;
  result: () => R;
  /** A shorter result, sent if the host sets an optional boolean parameter to true. */
  variant?: { param: string; result: () => V };
  /** The command that this is a second name for. */
  aliasOf?: string;
  /** A rule over several fields, which a schema of single fields cannot express. */
  check?(params: Static<P>): FieldFault | undefined;
}

export function row<P extends TObject, R extends TSchema, V extends TSchema = never>(
  command: CommandRow<P, R, V>,
): CommandRow<P, R, V> {
  return { ...command, params: once(command.params), result: once(command.result) };
}

/** A second name for a command. It has the handler of the first. */
export function alias<N extends string, C extends CommandRow>(aliasOf: N, command: C): C & { aliasOf: N } {
  return { ...command, aliasOf };
}

function once<T>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

export const noParams = () => Type.Object({});
/** The response has no `data`. */
export const noResult = () => Type.Void();
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
