import type { Clock } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import { type PreviewResolver, Previews } from "../../previews/previews.ts";
import type { AttachedHost } from "../attached-host.ts";

export interface SessionPreviewsParts {
  settings: Settings;
  host: AttachedHost;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
  /** Decides previews in this process. */
  resolvePreview?: PreviewResolver;
}

/** Creates the owner of the staged changes of a session. */
export function createSessionPreviews({ settings, host, clock, emit, resolvePreview }: SessionPreviewsParts): Previews {
  const previews = new Previews({
    decider: () => (host.decidesPreviews ? "host" : settings.get("resolve.by")),
    hasHost: () => host.isPresent,
    timeoutMs: () => settings.get("resolve.timeoutMs"),
    now: clock.now,
    emit,
    warn: (message) => emit({ type: "notice", level: "warning", message, source: "preview" }),
    reportFault: (toolName, error) =>
      emit({ type: "extension_error", extensionPath: `tool:${toolName}`, event: "discard", error }),
    ...(resolvePreview && { resolver: resolvePreview }),
  });
  host.onChange(() => {
    if (!host.isPresent) previews.hostGone();
  });
  return previews;
}
