import { Type } from "@pintle/ai/type";
import { oneOf } from "../words.ts";
import { noParams, noResult, row } from "./row.ts";

// Commands that only oh-my-pi has. Its clients send some of them while they start; they are answered with what is true here:
// an empty list, or that a feature is off.

/** Why nothing came of it. */
const notSupported = () => ({ notSupported: Type.Optional(Type.String()) });

const subscriptionLevel = () => oneOf(["off", "progress", "events"]);

export const ompOnlyCommands = {
  get_login_providers: row({
    summary: "Providers that one can log in to from here: none, keys come from the environment or `auth.json`.",
    params: noParams,
    result: () =>
      Type.Object({
        providers: Type.Array(
          Type.Object({
            id: Type.String(),
            name: Type.String(),
            available: Type.Boolean(),
            authenticated: Type.Boolean(),
          }),
        ),
      }),
    lane: "read",
  }),
  get_subagents: row({
    summary: "Agents that work for this one: none.",
    params: noParams,
    result: () => Type.Object({ subagents: Type.Array(Type.Unsafe<object>(Type.Object({}))) }),
    lane: "read",
  }),
  set_subagent_subscription: row({
    summary: "What to hear of other agents. Accepted; as there are none, no event follows.",
    params: () => Type.Object({ level: subscriptionLevel() }),
    result: () => Type.Object({ level: subscriptionLevel() }),
    lane: "ordered",
  }),
  set_host_uri_schemes: row({
    summary: "Addresses that the host would resolve. None is taken; `set_host_tools` serves the purpose.",
    params: () => Type.Object({ schemes: Type.Array(Type.Object({ scheme: Type.String() })) }),
    result: () => Type.Object({ schemes: Type.Array(Type.String()), ...notSupported() }),
    lane: "ordered",
  }),
  set_fast_mode: row({
    summary: "A faster service of the provider. It stays off.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: () => Type.Object({ enabled: Type.Literal(false), active: Type.Literal(false), ...notSupported() }),
    lane: "ordered",
  }),
  open_session: row({
    summary: "Open or make the session of a directory. Refused: one process has one place for sessions.",
    params: () => Type.Object({ sessionDir: Type.Optional(Type.String()) }),
    result: noResult,
    lane: "ordered",
  }),
};
