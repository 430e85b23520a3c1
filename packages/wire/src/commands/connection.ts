import { Type } from "@pintle/ai/type";
import { CHUNKED_PROTOCOL_VERSION, PROTOCOL_VERSION } from "../protocol-version.ts";
import { noParams, noResult, nullable, row } from "./row.ts";

const MAX_LEASE_MS = 2_147_483_647;

/** Commands about the connection itself. */
export const connectionCommands = {
  ping: row({
    summary: "Answered immediately, whatever else is happening: the program is alive.",
    params: noParams,
    result: noResult,
    lane: "control",
  }),
  confirm_lease: row({
    summary:
      "This process may work on the session for another `ms`. If that is not confirmed again in time, the run and all commands are aborted, because another process may own the session by then. Sent by a gateway with a store; hosts of a gateway cannot send it.",
    params: () => Type.Object({ ms: Type.Integer({ description: "milliseconds from the receipt" }) }),
    result: noResult,
    lane: "control",
    check: ({ ms }) =>
      ms >= 1 && ms <= MAX_LEASE_MS ? undefined : { field: "ms", mustBe: `between 1 and ${MAX_LEASE_MS}` },
  }),
  set_event_filter: row({
    summary:
      "Selects the events to send: those in the list, where `*` means all default events; without a list, the default events. Frames that are not session events are always sent.",
    params: () =>
      Type.Object({
        events: Type.Optional(Type.Array(Type.String({ pattern: ".", description: "the type of an event" }))),
      }),
    result: () => Type.Object({ events: nullable(Type.Array(Type.String())) }),
    lane: "ordered",
  }),
  negotiate_protocol: row({
    summary:
      "Selects the protocol version. In the dialect `omp`, version 2 sends lines over `maxFrameBytes` as `rpc_chunk`s; everywhere else the version is 1, whatever is requested.",
    params: () => Type.Object({ protocolVersion: Type.Optional(Type.Integer()) }),
    result: () =>
      Type.Object({
        protocolVersion: Type.Union([Type.Literal(PROTOCOL_VERSION), Type.Literal(CHUNKED_PROTOCOL_VERSION)]),
      }),
    lane: "ordered",
  }),
};
