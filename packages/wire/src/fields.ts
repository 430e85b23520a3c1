import { INTERRUPT_MODES, QUEUE_MODES } from "@pintle/agent";
import { THINKING_LEVELS } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { oneOf } from "./words.ts";

// What several commands take, each built when a row first asks for it.

export const queueMode = () => oneOf(QUEUE_MODES);
export const interruptMode = () => oneOf(INTERRUPT_MODES);
/** What is decided about a preview. */
export const verdict = () => oneOf(["apply", "discard"]);
/** The levels of the wire; no other value is understood. */
export const thinkingLevel = () => oneOf(THINKING_LEVELS);

export const inputImage = () =>
  Type.Object({
    type: Type.Literal("image"),
    data: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "base64 text without a data: prefix" }),
    mimeType: Type.String({ pattern: "^image/.", description: "an image/* type" }),
  });

/** Of a session; `stored` is one without a process. */
export const sessionStatus = () => oneOf(["idle", "running", "waiting", "stored"]);

/** Of a job. */
export const jobStatus = () => oneOf(["queued", "running", "done", "failed", "cancelled", "dead"]);

export const sessionId = () => Type.String({ pattern: ".", description: "the id of a session" });

export const sessionCursor = () =>
  Type.Object(
    {
      epoch: Type.String({ description: "of the server that gave it" }),
      seq: Type.Integer({ description: "of the last frame that was seen" }),
      entryId: Type.Optional(Type.String({ description: "the last entry that was stored by then" })),
    },
    { description: "how far a host has seen a session" },
  );

/** A place in a trace, in the words of the W3C. */
export const trace = () => ({
  traceparent: Type.Optional(
    Type.String({ description: "of the span it belongs to (W3C Trace Context); a wrong one is ignored" }),
  ),
  tracestate: Type.Optional(Type.String()),
});
