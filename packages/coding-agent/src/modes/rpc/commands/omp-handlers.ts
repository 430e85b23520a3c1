import type { ompOnlyCommands } from "@pintle/wire";
import { SessionError } from "../../../storage/session-error.ts";
import type { Handler } from "./command-call.ts";

export const ompOnlyHandlers: { [N in keyof typeof ompOnlyCommands]: Handler<N> } = {
  get_login_providers: () => ({ providers: [] }),
  get_subagents: () => ({ subagents: [] }),
  set_subagent_subscription: (_session, { level }) => ({ level }),
  set_host_uri_schemes: (_session, { schemes }) => ({
    schemes: [],
    ...(schemes.length > 0 && {
      notSupported: "Addresses are not resolved by the host here; set_host_tools can do it",
    }),
  }),
  set_fast_mode: (_session, { enabled }) => ({
    enabled: false,
    active: false,
    ...(enabled && { notSupported: "There is no fast mode here" }),
  }),
  open_session() {
    throw new SessionError(
      "not_supported",
      "open_session is not supported here: use switch_session with the path of a session file, or start another process",
    );
  },
};
