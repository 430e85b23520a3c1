import { event } from "@pintle/agent/schemas";
import { AssistantMessageSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { RunningToolSchema } from "../data/running-tool.ts";
import { SessionCursorSchema } from "../data/session-cursor.ts";
import { SessionEntrySchema } from "../data/session-entry.ts";
import { RpcSessionStateSchema } from "../data/session-state.ts";
import { sessionId } from "../fields.ts";

// What a gateway tells of a session by itself.

const seq = () => Type.Integer();

const lostRun = () => ({
  prompts: Type.Array(
    Type.Object({
      text: Type.String({ description: "at most 200 characters of it" }),
      commandKey: Type.Optional(Type.String()),
      entryId: Type.Optional(Type.String({ description: "where it stands in the conversation" })),
    }),
    { description: "that were accepted and have no end" },
  ),
  uncertain: Type.Array(Type.String(), { description: "ids of tool calls that had begun: what they did is not known" }),
});

export const gatewayEventSchemas = {
  session_snapshot: event(
    "session_snapshot",
    "Instead of frames that were missed and are not kept any more: the session as it is. Live frames follow.",
    {
      sessionId: sessionId(),
      state: RpcSessionStateSchema,
      entries: Type.Array(SessionEntrySchema, {
        description: "in the order they were stored; those behind the `entryId` of the cursor, or all",
      }),
      leafId: Type.Union([Type.String(), Type.Null()], { description: "where the conversation goes on" }),
      more: Type.Optional(
        Type.Literal(true, { description: "there are further entries: `get_entries` with `since`, the last one's id" }),
      ),
      first: Type.Optional(
        Type.Integer({ description: "with `lastEntries`: how many entries of the session stand before these" }),
      ),
      message: Type.Optional(AssistantMessageSchema),
      messageId: Type.Optional(Type.String({ description: "of `message`, which is the open one so far" })),
      tools: Type.Array(RunningToolSchema, { description: "that are running" }),
      pending: Type.Array(Type.Object({ type: Type.String() }), {
        description: "open questions, previews and a budget that is used up, each as the frame that told of it",
      }),
      interrupted: Type.Optional(
        Type.Object(lostRun(), { description: "the run that a node left unfinished, as in `run_interrupted`" }),
      ),
      seq: Type.Integer({ description: "of the last frame that it covers" }),
      cursor: SessionCursorSchema,
    },
  ),
  worker_exited: event(
    "worker_exited",
    "The process of the session has ended unexpectedly. The next command starts another one that resumes.",
    {
      sessionId: sessionId(),
      seq: seq(),
      code: Type.Union([Type.Integer(), Type.Null()]),
      signal: Type.Union([Type.String(), Type.Null()]),
      stderrTail: Type.String({ description: "the end of what it wrote to stderr" }),
      reason: Type.Optional(Type.String({ description: "why the server killed it: a limit that its run exceeded" })),
    },
  ),
  session_failed: event(
    "session_failed",
    "Its process has ended unexpectedly three times within a minute: no other one is started until a host opens the session.",
    { sessionId: sessionId(), seq: seq(), message: Type.String() },
  ),
  session_closed: event(
    "session_closed",
    "The session was closed, by a host or because the server ends: this host is not attached to it any more. `open_session` opens it again.",
    { sessionId: sessionId(), seq: seq() },
  ),
  session_moved: event(
    "session_moved",
    "The node that had the session has it no more: this host is not attached to it any more. `attach_session` with the cursor, or `open_session` where that says `not_open`, goes on where it is now; commands without an answer are repeated with their `commandKey`.",
    {
      sessionId: sessionId(),
      seq: Type.Optional(seq()),
      node: Type.Optional(Type.String({ description: "which one has it, where it is known" })),
    },
  ),
  run_interrupted: event(
    "run_interrupted",
    "The node that served the session is gone, and its run was not finished. Nothing of it is repeated; `continue_run` goes on.",
    { sessionId: sessionId(), seq: seq(), ...lostRun() },
  ),
  store_degraded: event(
    "store_degraded",
    "The database that keeps the session does not answer: the run goes on, and what it tells and answers is held back until it is stored.",
    {
      sessionId: sessionId(),
      seq: seq(),
      message: Type.String(),
      recovered: Type.Optional(Type.Literal(true, { description: "it answers again: what was held back follows" })),
      aborted: Type.Optional(
        Type.Literal(true, { description: "it has been away for `serve.storeTimeoutMs`: the run is aborted" }),
      ),
    },
  ),
  lagged: event(
    "lagged",
    "This host did not read, and too much waited for it: it hears no more of the session until it attaches again, from here.",
    { sessionId: sessionId(), cursor: SessionCursorSchema },
  ),
};

type GatewayEvents = { [T in keyof typeof gatewayEventSchemas]: Static<(typeof gatewayEventSchemas)[T]> };
export type GatewayEvent = GatewayEvents[keyof GatewayEvents];
export type GatewayEventOf<T extends keyof GatewayEvents> = GatewayEvents[T];
