import { logLine } from "@pintle/foundation";
import { oneWayUi } from "../../extensibility/ui/no-ui.ts";
import type { CreatedSession } from "../../sdk/options.ts";
import { withheldText } from "../../trust/trust-texts.ts";
import { FrameWriter } from "../frames/frame-writer.ts";
import { guardStdout } from "../frames/stdout-guard.ts";
import { DIALECTS } from "./dialects/dialect.ts";
import type { HostChannel } from "./host/host-channel.ts";
import { type RpcModeOptions, runRpcMode } from "./rpc-mode.ts";
import { guardStdin } from "./stdin-guard.ts";

type StartOptions = Pick<
  RpcModeOptions,
  "version" | "env" | "isUiForbidden" | "isUiDeclared" | "isHostStrict" | "dialect" | "ending"
>;

/** Reserves the process's stdin and stdout for the protocol, then builds the session. Returns the exit code. */
export async function startRpcMode(
  createSession: () => Promise<CreatedSession>,
  options: StartOptions,
): Promise<number> {
  const stdin = guardStdin();
  const writer = new FrameWriter({ sink: guardStdout(), layout: DIALECTS[options.dialect ?? "seed"].updates });
  return serveSession(createSession, { ...options, stdin, writer });
}

/** Serves one host over any pair of streams. */
export function serveSession(
  createSession: () => Promise<CreatedSession>,
  options: StartOptions & Pick<RpcModeOptions, "stdin" | "writer">,
): Promise<number> {
  let created: CreatedSession | undefined;
  const session = createSession().then((result) => {
    created = result;
    return result.session;
  });
  return runRpcMode(session, {
    ...options,
    trust: () => created?.trust.state ?? "none",
    onReady: (host, end) => created && introduce(created, host, end),
  });
}

/** Notices from before the host could receive them. */
function introduce(
  { session, modules, mcp, trust, modelFallbackMessage, storageNotices }: CreatedSession,
  host: HostChannel,
  end: () => void,
): void {
  // Also log what could not be stored.
  session.subscribe((event) => {
    if (event.type === "notice" && event.level === "error") logLine(event.message);
  });
  const warn = (message: string, source: string) =>
    session.events.emit({ type: "notice", level: "warning", message, source });
  if (modelFallbackMessage !== undefined) warn(modelFallbackMessage, "model");
  for (const notice of storageNotices) session.events.emit({ type: "notice", ...notice, source: "session" });
  session.interruptions.notify();
  for (const { path, event, error } of modules.faults) {
    session.events.emit({ type: "extension_error", extensionPath: path, event, error });
  }
  const withheld = withheldText(trust);
  if (withheld !== undefined) warn(withheld, "trust");
  const ui = host.ui();
  const notices = oneWayUi(ui.notify); // a notice is not a question, so hosts without dialogs receive it too
  modules.useDialogs(() => {
    const { hasUi, isUiForbidden } = host.capabilities;
    if (hasUi) return ui;
    return isUiForbidden ? undefined : notices;
  });
  modules.onShutdown(end);
  modules.start();
  mcp.start();
}
