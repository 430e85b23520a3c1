import { Type } from "@pintle/ai/type";
import { OF_A_SESSION } from "./announcements.ts";
import { noParams, nullable, row } from "./row.ts";
import { checkInstructions } from "./work.ts";

// Commands that only oh-my-pi has. Its clients send some of them during startup. For features that do not exist here,
// the answer is true to that: an empty list, or that the feature is off.

/** Why it had no effect. */
const notSupported = () => ({ notSupported: Type.Optional(Type.String()) });

export const ompOnlyCommands = {
  get_login_providers: row({
    summary: "Providers that offer a login from here: none, keys come from the environment or `auth.json`.",
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
  set_host_uri_schemes: row({
    summary:
      "Declares the URI schemes that the host resolves, such as `db://table`. `read` and, if `writable`, `write` ask the host; the list replaces the previous one. Only in the `omp` dialect.",
    params: () =>
      Type.Object({
        schemes: Type.Array(
          Type.Object({
            scheme: Type.String({
              pattern: "^[A-Za-z][A-Za-z0-9+.-]*$",
              description: "the name of a scheme, without ://",
            }),
            description: Type.Optional(Type.String()),
            writable: Type.Optional(Type.Boolean()),
            immutable: Type.Optional(Type.Boolean()),
          }),
        ),
      }),
    result: () => Type.Object({ schemes: Type.Array(Type.String()), ...notSupported() }),
    lane: "ordered",
  }),
  set_fast_mode: row({
    summary: "A faster service tier of the provider. It stays off.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: () => Type.Object({ enabled: Type.Literal(false), active: Type.Literal(false), ...notSupported() }),
    lane: "ordered",
  }),
  open_session: row({
    summary: "Opens the newest session of a directory, or starts one there if it has none.",
    params: () => Type.Object({ sessionDir: Type.String({ pattern: ".", description: "the path of a directory" }) }),
    result: () =>
      Type.Object({
        cancelled: Type.Boolean({ description: "an extension refused it" }),
        resumed: Type.Boolean({ description: "false: the session is new" }),
        sessionId: Type.String(),
        sessionFile: Type.Optional(Type.String()),
      }),
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  login: row({
    summary: "Logs in to a provider. No provider has a login flow here, so the error explains how to set a key.",
    params: () => Type.Object({ providerId: Type.String({ pattern: ".", description: "the name of a provider" }) }),
    result: () => Type.Object({ providerId: Type.String() }),
    lane: "ordered",
  }),
  handoff: row({
    summary:
      "Replaces the conversation with a summary to continue from; the session stays open. Null if there is nothing to summarize.",
    params: () => Type.Object({ customInstructions: Type.Optional(Type.String()) }),
    result: () => nullable(Type.Object({ savedPath: Type.Optional(Type.String()) })),
    lane: "long",
    check: checkInstructions,
  }),
};
