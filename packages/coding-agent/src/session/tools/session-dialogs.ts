import type { AskContext } from "../../tools/ask.ts";

/** What the session's own tools may ask of a person. */
export type SessionDialogs = AskContext;

/** Without a host every question stays without an answer. */
export const NO_DIALOGS: SessionDialogs = {
  select: async () => undefined,
  input: async () => undefined,
};
