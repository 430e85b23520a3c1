import type { CustomMessage } from "@pintle/agent";
import { SessionError } from "@pintle/storage";
import type { Resolution, Verdict } from "../../previews/pending-action.ts";
import { PartialApplyError, type Previews } from "../../previews/previews.ts";

/** How a host decides a preview. */
export interface HostChoice {
  reason?: string | undefined;
  /** Default: the newest preview. */
  actionId?: string | undefined;
  /** Applies the preview to these of its files only. */
  files?: readonly string[] | undefined;
}

interface DecideForHostParts {
  previews: Previews;
  /** Appends to the conversation while no call is open. */
  append(message: CustomMessage): void;
  now(): number;
}

/** Decides a staged change instead of the model. Throws SessionError if there is no such change. */
export async function decideForHost(
  { previews, append, now }: DecideForHostParts,
  verdict: Verdict,
  { reason, actionId, files }: HostChoice,
): Promise<Resolution> {
  const isForModel = previews.decider === "model";
  const defaultReason = verdict === "apply" ? "Applied by the host" : "Discarded by the host";
  const resolution = await previews
    .decide({ verdict, reason: reason ?? defaultReason, by: "host", files }, actionId)
    .catch((error: Error) => {
      throw new SessionError(error instanceof PartialApplyError ? "invalid_request" : "not_found", error.message);
    });
  // If the host is the decider, the call that staged the change is still open and returns the outcome as its result.
  if (isForModel) append(toOutcomeMessage(resolution, now()));
  return resolution;
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
