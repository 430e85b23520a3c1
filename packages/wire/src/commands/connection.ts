import { Type } from "@pintle/ai/type";
import { PROTOCOL_VERSION } from "../protocol-version.ts";
import { noParams, noResult, nullable, row } from "./row.ts";

const MAX_LEASE_MS = 2_147_483_647;

/** What is spoken on this connection. */
export const connectionCommands = {
  ping: row({
    summary: "Answered at once, whatever else is going on: the program is alive.",
    params: noParams,
    result: noResult,
    lane: "control",
  }),
  confirm_lease: row({
    summary:
      "This process may work on the session for `ms` more. Unless that is confirmed again in time, the run and all commands are aborted, because another process may have the session by then. A gateway with a store sends it; hosts of a gateway cannot.",
    params: () => Type.Object({ ms: Type.Integer({ description: "milliseconds from the receipt" }) }),
    result: noResult,
    lane: "control",
    check: ({ ms }) =>
      ms >= 1 && ms <= MAX_LEASE_MS ? undefined : { field: "ms", mustBe: `between 1 and ${MAX_LEASE_MS}` },
  }),
  set_event_filter: row({
    summary:
      "Which events are sent: those named, or, without a list, all that are sent by default, for which `*` stands in a list. What is no event of the session is always sent.",
    params: () =>
      Type.Object({
        events: Type.Optional(Type.Array(Type.String({ pattern: ".", description: "the type of an event" }))),
      }),
    result: () => Type.Object({ events: nullable(Type.Array(Type.String())) }),
    lane: "ordered",
  }),
  negotiate_protocol: row({
    summary: "Which version of the protocol is spoken. There is one, without chunks, whatever is asked for.",
    params: () => Type.Object({ protocolVersion: Type.Optional(Type.Integer()) }),
    result: () => Type.Object({ protocolVersion: Type.Literal(PROTOCOL_VERSION) }),
    lane: "ordered",
  }),
};
