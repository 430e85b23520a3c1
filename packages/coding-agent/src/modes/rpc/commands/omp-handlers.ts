import { SessionError } from "@pintle/storage";
import type { ompOnlyCommands } from "@pintle/wire";
import type { Handler } from "./command-call.ts";

export const ompOnlyHandlers: { [N in keyof typeof ompOnlyCommands]: Handler<N> } = {
  get_login_providers: () => ({ providers: [] }),
  set_host_uri_schemes(_session, { schemes }, { connection }) {
    const accepted = connection.host.setUriSchemes(schemes);
    const isRefused = schemes.length > 0 && accepted.length === 0;
    const notSupported = "The host can resolve URIs only in the dialect omp, and not for file, http, https and data";
    return { schemes: accepted, ...(isRefused && { notSupported }) };
  },
  set_fast_mode: (_session, { enabled }) => ({
    enabled: false,
    active: false,
    ...(enabled && { notSupported: "pintle has no fast mode" }),
  }),
  async open_session(session, { sessionDir }) {
    const outcome = await session.changes.openDirectory(sessionDir);
    const { sessionId, sessionFile } = session;
    return { ...outcome, sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  },
  login(session, { providerId }) {
    if (!session.modelState.hasProvider(providerId)) {
      throw new SessionError("not_found", `Unknown provider: ${providerId}`);
    }
    throw new SessionError(
      "not_supported",
      `${providerId} has no login flow in pintle: set its key with set_api_key, in auth.json or in the environment`,
    );
  },
  async handoff(session, { customInstructions }) {
    if (session.isStreaming) throw new SessionError("busy", "Cannot hand off while a response is in progress");
    if (!session.messages.some(({ role }) => role === "user" || role === "assistant")) return null;
    await session.lifecycle.compact(customInstructions);
    return {};
  },
};
