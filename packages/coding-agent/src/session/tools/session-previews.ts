import type { Clock } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import { type PreviewResolver, Previews } from "../../previews/previews.ts";

export interface SessionPreviewsParts {
  settings: Settings;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
  /** Decides in this process. */
  resolvePreview?: PreviewResolver;
}

/** The staged changes of a session, with its settings and its way to tell. */
export function createSessionPreviews({ settings, clock, emit, resolvePreview }: SessionPreviewsParts): Previews {
  return new Previews({
    decider: () => settings.get("resolve.by"),
    timeoutMs: () => settings.get("resolve.timeoutMs"),
    now: clock.now,
    emit,
    warn: (message) => emit({ type: "notice", level: "warning", message, source: "preview" }),
    reportFault: (toolName, error) =>
      emit({ type: "extension_error", extensionPath: `tool:${toolName}`, event: "discard", error }),
    ...(resolvePreview && { resolver: resolvePreview }),
  });
}
