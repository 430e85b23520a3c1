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
        "1 to 256: a `session_snapshot` contains at most this many entries, the last ones; `get_entries` with `before` and `limit` returns the others",
    }),
  );
const checkLastEntries = ({ lastEntries = 1 }: { lastEntries?: number }): FieldFault | undefined =>
  lastEntries >= 1 && lastEntries <= 256 ? undefined : { field: "lastEntries", mustBe: "between 1 and 256" };
const ofSession = () => Type.Object({ sessionId: sessionId() });

/**
 * Commands that the gateway itself answers. A frame with a `sessionId` and any other type is for that session. If the
 * plain protocol has a command of the same name, a gateway uses this one.
 */
export const gatewayCommands = {
  open_session: row({
    summary:
      "Opens a new or stored session, or attaches to it if it is already open. Start options are ignored if it is open.",
    params: () =>
      Type.Object({
        cwd: Type.Optional(Type.String({ description: "inside the server's roots; the first root if absent" })),
        session: Type.Optional(Type.String({ description: "id or path of a stored session; a new one if absent" })),
        fork: Type.Optional(Type.Boolean({ description: "continue a copy of `session`" })),
        ...startFields(),
        ephemeral: Type.Optional(Type.Boolean({ description: "store nothing" })),
        labels: Type.Optional(
          Type.Array(Type.String(), {
            description:
              "labels that a node must have to serve the session (`serve.labels`), stored with it; only with `--store`",
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
        resync: Type.Boolean({ description: "true: missed frames are replaced by one `session_snapshot`" }),
      }),
    lane: "ordered",
    check: checkLastEntries,
  }),
  attach_session: row({
    summary:
      "Receive the frames of an open session: with `since` everything that was missed, otherwise from now on. The response precedes the first frame.",
    params: () =>
      Type.Object({
        sessionId: sessionId(),
        since: since(),
        mode: Type.Optional(oneOf(["full", "delta"], { description: "as with `set_update_mode`" })),
        events: Type.Optional(
          oneOf(["all", "settled", "none"], {
            description:
              "settled: only finished items, without updates and without events that end in `_start`; questions are always sent",
          }),
        ),
        lastEntries: lastEntries(),
      }),
    result: () =>
      Type.Object({
        cursor: ref("SessionCursor"),
        resync: Type.Boolean({ description: "true: missed frames are replaced by one `session_snapshot`" }),
      }),
    lane: "ordered",
    check: checkLastEntries,
  }),
  detach_session: row({
    summary: "Stop receiving frames of a session; it continues.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  close_session: row({
    summary:
      "Ends the process of a session; what is stored stays. Refused while a run is active, unless `abort` is true.",
    params: () => Type.Object({ sessionId: sessionId(), abort: Type.Optional(Type.Boolean()) }),
    result: noResult,
    lane: "ordered",
  }),
  delete_session: row({
    summary: "Closes a session and moves it to the trash of its directory, from which `restore_session` takes it.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  restore_session: row({
    summary: "Restores a session from the trash. It is stored again, but not open.",
    params: ofSession,
    result: noResult,
    lane: "ordered",
  }),
  list_sessions: row({
    ...readingCommands.list_sessions,
    summary: "Stored and open sessions inside the server's roots, the most recently written first.",
    result: () => Type.Object({ sessions: Type.Array(ref("ServedSession")), nextCursor: Type.Optional(Type.String()) }),
  }),
  ...jobCommands,
  get_server_state: row({
    summary: "The server's current activity and its limits.",
    params: noParams,
    result: () => ref("ServerState"),
    lane: "control",
  }),
};

export type GatewayCommandName = keyof typeof gatewayCommands;
export type GatewayParams<N extends GatewayCommandName> = Static<ReturnType<(typeof gatewayCommands)[N]["params"]>>;
export type GatewayResult<N extends GatewayCommandName> = Static<ReturnType<(typeof gatewayCommands)[N]["result"]>>;
