import type { CustomMessage } from "@pintle/agent";
import { SessionError } from "@pintle/storage";
import { ApplyRefused } from "../../previews/apply-refused.ts";
import type { Resolution, Verdict } from "../../previews/pending-action.ts";
import type { Previews } from "../../previews/previews.ts";
import type { NamedParts } from "../../previews/select-parts.ts";

/** How a host decides a preview; it can name the parts to apply. */
export interface HostChoice extends NamedParts {
  reason?: string | undefined;
  /** Default: the newest preview. */
  actionId?: string | undefined;
}

interface DecideForHostParts {
  previews: Previews;
  /** Appends to the conversation while no call is open. */
  append(message: CustomMessage): void;
  now(): number;
}

/** Decides a staged change instead of the model. Throws SessionError if there is no such change, or it is still pending. */
export async function decideForHost(
  { previews, append, now }: DecideForHostParts,
  verdict: Verdict,
  { reason, actionId, ...parts }: HostChoice,
): Promise<Resolution> {
  const isForModel = previews.decider === "model";
  const defaultReason = verdict === "apply" ? "Applied by the host" : "Discarded by the host";
  const resolution = await previews
    .decide({ verdict, reason: reason ?? defaultReason, by: "host", ...parts }, actionId)
    .catch((error: Error) => {
      throw toSessionError(error);
    });
  // If the host is the decider, the call that staged the change is still open and returns the outcome as its result.
  if (isForModel) append(toOutcomeMessage(resolution, now()));
  return resolution;
}

/** Returns the text that a staged change proposes for one of its files. */
export async function readProposedText(previews: Previews, path: string, actionId: string | undefined) {
  return previews.proposedText(path, actionId).catch((error: Error) => {
    throw toSessionError(error);
  });
}

function toSessionError(error: Error): SessionError {
  return new SessionError(error instanceof ApplyRefused ? error.code : "not_found", error.message);
}

/** Reports the outcome of a preview to the model. */
function toOutcomeMessage({ action, verdict, reason, text }: Resolution, timestamp: number): CustomMessage {
  return {
    role: "custom",
    customType: "resolve-result",
    // The tool result says that the preview is pending, and a reminder may repeat it.
    content: `${text}\nThe user has decided on the preview ${JSON.stringify(action.label)}: there is nothing left to resolve of it.`,
    display: true,
    details: { actionId: action.id, action: verdict, reason, label: action.label },
    attribution: "user",
    timestamp,
  };
}
