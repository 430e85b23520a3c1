import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { sessionCursor, sessionId } from "../fields.ts";
import { ref } from "../named-types.ts";
import { oneOf } from "../words.ts";
import { jobCommands } from "./jobs.ts";
import { readingCommands } from "./reading.ts";
import { type FieldFault, noParams, noResult, row } from "./row.ts";
import { startFields } from "./session-start.ts";

const since = () => Type.Optional(sessionCursor());
const lastEntries = () =>
  Type.Optional(
    Type.Integer({
      description:
        "1 to 256: a `session_snapshot` has at most so many entries, the last ones; `get_entries` with `before` and `limit` has the others",
    }),
  );
const checkLastEntries = ({ lastEntries = 1 }: { lastEntries?: number }): FieldFault | undefined =>
  lastEntries >= 1 && lastEntries <= 256 ? undefined : { field: "lastEntries", mustBe: "between 1 and 256" };
const ofSession = () => Type.Object({ sessionId: sessionId() });

/**
 * What the gateway itself answers. A frame with a `sessionId` and a type that is not here is for that session. Where the plain
 * wire has a command of the same name, this is the one that counts on a gateway.
 */
export const gatewayCommands = {
  open_session: row({
    summary:
      "Open a new or a stored session, or attach to it where it is open already. What a session is started with is ignored when it is open.",
    params: () =>
      Type.Object({
        cwd: Type.Optional(Type.String({ description: "inside the roots of the server; its first root if absent" })),
        session: Type.Optional(Type.String({ description: "id or path of a stored session; a new one if absent" })),
        fork: Type.Optional(Type.Boolean({ description: "continue a copy of `session`" })),
        ...startFields(),
        ephemeral: Type.Optional(Type.Boolean({ description: "nothing is stored" })),
        labels: Type.Optional(
          Type.Array(Type.String(), {
            description:
              "what a node must have to serve the session (`serve.labels`), kept with it; with `--store` only",
          }),
        ),
        since: since(),
        lastEntries: lastEntries(),
      }),
    result: () =>
      Type.Object({
        sessionId: Type.String(),
        sessionFile: Type.Optional(Type.String({ description: "absolute path on the server" })),
        state: ref("RpcSessionState"),
        cursor: ref("SessionCursor"),
        resync: Type.Boolean({ description: "true: what was missed comes as one `session_snapshot`" }),
      }),
    lane: "ordered",
    check: checkLastEntries,
  }),
  attach_session: row({
    summary:
      "Hear an open session: with `since` all that was missed, else from now on. Answered before the first of it.",
    params: () =>
      Type.Object({
        sessionId: sessionId(),
        since: since(),
        mode: Type.Optional(oneOf(["full", "delta"], { description: "as with `set_update_mode`" })),
        events: Type.Optional(
          oneOf(["all", "settled", "none"], {
            description:
              "settled: only what is finished, without updates and without the events that end with `_start`; questions come in any case",
          }),
        ),
        lastEntries: lastEntries(),
      }),
    result: () =>
      Type.Object({
        cursor: ref("SessionCursor"),
        resync: Type.Boolean({ description: "true: what was missed comes as one `session_snapshot`" }),
      }),
    lane: "ordered",
    check: checkLastEntries,
  }),
  detach_session: row({
    summary: "Hear no more of a session; it lives on.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  close_session: row({
    summary:
      "End the process of a session; what is stored stays. Refused while a run is active, unless `abort` is true.",
    params: () => Type.Object({ sessionId: sessionId(), abort: Type.Optional(Type.Boolean()) }),
    result: noResult,
    lane: "ordered",
  }),
  delete_session: row({
    summary: "Close a session and move it to the trash of its directory, from where `restore_session` takes it.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  restore_session: row({
    summary: "Take a session out of the trash. It is stored again, not open.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  list_sessions: row({
    ...readingCommands.list_sessions,
    summary: "Sessions inside the roots of the server, stored and open ones, the one written last first.",
    result: () => Type.Object({ sessions: Type.Array(ref("ServedSession")), nextCursor: Type.Optional(Type.String()) }),
  }),
  ...jobCommands,
  get_server_state: row({
    summary: "What the server does now, and its limits.",
    params: noParams,
    result: () => ref("ServerState"),
    lane: "control",
  }),
};

export type GatewayCommandName = keyof typeof gatewayCommands;
export type GatewayParams<N extends GatewayCommandName> = Static<ReturnType<(typeof gatewayCommands)[N]["params"]>>;
export type GatewayResult<N extends GatewayCommandName> = Static<ReturnType<(typeof gatewayCommands)[N]["result"]>>;
