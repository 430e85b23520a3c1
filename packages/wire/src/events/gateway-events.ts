import { event } from "@pintle/agent/schemas";
import { AssistantMessageSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { RunningToolSchema } from "../data/running-tool.ts";
import { SessionCursorSchema } from "../data/session-cursor.ts";
import { SessionEntrySchema } from "../data/session-entry.ts";
import { RpcSessionStateSchema } from "../data/session-state.ts";
import { sessionId } from "../fields.ts";

// Events of a session that the gateway itself emits.

const seq = () => Type.Integer();

const lostRun = () => ({
  prompts: Type.Array(
    Type.Object({
      text: Type.String({ description: "at most 200 characters" }),
      commandKey: Type.Optional(Type.String()),
      entryId: Type.Optional(Type.String({ description: "its position in the conversation" })),
    }),
    { description: "accepted prompts without an end" },
  ),
  uncertain: Type.Array(Type.String(), {
    description: "ids of tool calls that had started: their effects are unknown",
  }),
});

export const gatewayEventSchemas = {
  session_snapshot: event(
    "session_snapshot",
    "Replaces missed frames that are no longer stored: the current state of the session. Live frames follow.",
    {
      sessionId: sessionId(),
      state: RpcSessionStateSchema,
      entries: Type.Array(SessionEntrySchema, {
        description: "in the order in which they were stored; those after the `entryId` of the cursor, or all",
      }),
      leafId: Type.Union([Type.String(), Type.Null()], { description: "where the conversation continues" }),
      more: Type.Optional(
        Type.Literal(true, {
          description: "there are more entries: use `get_entries` with the id of the last one as `since`",
        }),
      ),
      first: Type.Optional(
        Type.Integer({ description: "with `lastEntries`: how many entries of the session precede these" }),
      ),
      message: Type.Optional(AssistantMessageSchema),
      messageId: Type.Optional(Type.String({ description: "of `message`, which is the open one so far" })),
      tools: Type.Array(RunningToolSchema, { description: "the calls that are running" }),
      pending: Type.Array(Type.Object({ type: Type.String() }), {
        description:
          "open questions and an exhausted budget, if the host has declared that it answers them, and previews, each as the frame that reported it",
      }),
      interrupted: Type.Optional(
        Type.Object(lostRun(), { description: "the run that a node left unfinished, as in `run_interrupted`" }),
      ),
      seq: Type.Integer({ description: "the number of the last frame that it covers" }),
      cursor: SessionCursorSchema,
    },
  ),
  worker_exited: event(
    "worker_exited",
    "The process of the session ended unexpectedly. The next command starts a new one that resumes.",
    {
      sessionId: sessionId(),
      seq: seq(),
      code: Type.Union([Type.Integer(), Type.Null()]),
      signal: Type.Union([Type.String(), Type.Null()]),
      stderrTail: Type.String({ description: "the end of its stderr output" }),
      reason: Type.Optional(Type.String({ description: "why the server killed it: a limit that its run exceeded" })),
    },
  ),
  session_failed: event(
    "session_failed",
    "The engine process of a session ended unexpectedly three times within a minute. The server starts no other until a host opens the session.",
    { sessionId: sessionId(), seq: seq(), message: Type.String() },
  ),
  session_closed: event(
    "session_closed",
    "The session was closed, by a host or because the server is shutting down: this host is no longer attached. `open_session` opens it again.",
    { sessionId: sessionId(), seq: seq() },
  ),
  session_moved: event(
    "session_moved",
    "The node no longer has the session: this host is no longer attached. Continue on the current node with `attach_session` and the cursor, or with `open_session` if that answers `not_open`; repeat commands without a response with their `commandKey`.",
    {
      sessionId: sessionId(),
      seq: Type.Optional(seq()),
      node: Type.Optional(Type.String({ description: "the node that has it, if known" })),
    },
  ),
  run_interrupted: event(
    "run_interrupted",
    "The node that served the session was lost, and its run was not finished. Nothing is repeated automatically; `continue_run` continues it.",
    { sessionId: sessionId(), seq: seq(), ...lostRun() },
  ),
  store_degraded: event(
    "store_degraded",
    "The database that stores the session does not answer: the run continues, and its events and responses are held back until they are stored.",
    {
      sessionId: sessionId(),
      seq: seq(),
      message: Type.String(),
      recovered: Type.Optional(Type.Literal(true, { description: "it answers again: held-back frames follow" })),
      aborted: Type.Optional(
        Type.Literal(true, { description: "it has been unavailable for `serve.storeTimeoutMs`: the run is aborted" }),
      ),
    },
  ),
  lagged: event(
    "lagged",
    "This host did not read, and too much was waiting for it: it receives nothing more of the session until it attaches again, from this cursor.",
    { sessionId: sessionId(), cursor: SessionCursorSchema },
  ),
};

type GatewayEvents = { [T in keyof typeof gatewayEventSchemas]: Static<(typeof gatewayEventSchemas)[T]> };
export type GatewayEvent = GatewayEvents[keyof GatewayEvents];
export type GatewayEventOf<T extends keyof GatewayEvents> = GatewayEvents[T];
