import { INTERRUPT_MODES, QUEUE_MODES } from "@pintle/agent";
import { THINKING_WORDS } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "./words.ts";

// Fields that several commands share, each built on first use.

export const queueMode = () => oneOf(QUEUE_MODES);
export const interruptMode = () => oneOf(INTERRUPT_MODES);
/** The decision about a preview. */
export const verdict = () => oneOf(["apply", "discard"]);
/**
 * The levels that a host may name, and `auto` for the default one. A level that the model lacks becomes the nearest
 * one.
 */
export const thinkingWord = () => oneOf(THINKING_WORDS);

export const inputImage = () =>
  Type.Object({
    type: Type.Literal("image"),
    data: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "base64 text without a data: prefix" }),
    mimeType: Type.String({ pattern: "^image/.", description: "an image/* type" }),
  });

/** Status of a session; `stored` means without a process. */
export const sessionStatus = () => oneOf(["idle", "running", "waiting", "stored"]);

/** Status of a job. */
export const jobStatus = () => oneOf(["queued", "running", "done", "failed", "cancelled", "dead"]);

export const sessionId = () => Type.String({ pattern: ".", description: "the id of a session" });

export const sessionCursor = () =>
  Type.Object(
    {
      epoch: Type.String({ description: "the epoch of the server that issued it" }),
      seq: Type.Integer({ description: "the number of the last frame that was seen" }),
      entryId: Type.Optional(Type.String({ description: "the last entry that was stored by then" })),
    },
    { description: "a host's position in the frames of a session" },
  );

/** A position in a trace, as defined by W3C Trace Context. */
export const trace = () => ({
  traceparent: Type.Optional(
    Type.String({ description: "the parent span (W3C Trace Context); an invalid one is ignored" }),
  ),
  tracestate: Type.Optional(Type.String()),
});

const parts = (what: string) =>
  Type.Object({
    files: Type.Array(Type.String(), { description: `paths that were ${what} as a whole` }),
    hunks: Type.Array(Type.String(), { description: `hunks that were ${what}, of files applied in part` }),
  });

/** What became of a preview that has `changes`; missing if applying or discarding it failed. */
export const decidedParts = () => ({
  applied: Type.Optional(parts("applied")),
  discarded: Type.Optional(parts("discarded")),
  edited: Type.Optional(
    Type.Array(Type.String(), { description: "paths of applied files whose text the host replaced with its own" }),
  ),
});
export type DecidedParts = {
  [K in keyof ReturnType<typeof decidedParts>]-?: Static<ReturnType<typeof decidedParts>[K]>;
};
