import { Type } from "@pintle/ai/type";
import type { Static, TObject, TSchema } from "typebox";
import type { ServerFrame } from "../frames/server-frame.ts";
import type { LaneRule } from "./lane.ts";

/** What is wrong with one field of a request. */
export interface FieldFault {
  field: string;
  mustBe: string;
}

/**
 * A command of the protocol. Validation, scheduling, types, the reference and the client follow from its row. Schemas are built
 * when they are first used: all of them together would cost more than a millisecond before `ready`.
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

export const noParams = () => Type.Object({});
/** The response has no `data`. */
export const noResult = () => Type.Void();
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
