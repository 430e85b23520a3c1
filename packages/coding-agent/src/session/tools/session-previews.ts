import type { Clock } from "@pintle/agent";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import { type PreviewResolver, Previews } from "../../previews/previews.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { FamilyParts } from "../family.ts";

export interface SessionPreviewsParts {
  settings: Settings;
  host: AttachedHost;
  clock: Clock;
  emit(event: AgentSessionEvent): void;
  /** Decides previews in this process. */
  resolvePreview?: PreviewResolver;
  /** Set in the session of a subagent. */
  family?: Pick<FamilyParts, "own" | "rootPreviews"> | undefined;
}

/** Creates the owner of the staged changes of a session. */
export function createSessionPreviews(parts: SessionPreviewsParts): Previews {
  const { settings, host, clock, emit, family } = parts;
  const root = family?.rootPreviews.parts;
  const resolver = parts.resolvePreview ?? root?.resolver;
  const previews = new Previews({
    decider: () => (host.decidesPreviews ? "host" : settings.get("resolve.by")),
    hasHost: () => root?.hasHost() ?? host.isPresent,
    timeoutMs: () => settings.get("resolve.timeoutMs"),
    now: clock.now,
    emit(event) {
      emit(event);
      if (previews.decider === "host") root?.emit(event); // the host decides for the whole family
    },
    warn: (message) => emit({ type: "notice", level: "warning", message, source: "preview" }),
    reportFault: (toolName, error) =>
      emit({ type: "extension_error", extensionPath: `tool:${toolName}`, event: "discard", error }),
    ...(resolver && { resolver }),
    subagent: family?.own.child.origin,
  });
  host.onChange(() => {
    if (!host.isPresent) previews.hostGone();
  });
  return previews;
}
