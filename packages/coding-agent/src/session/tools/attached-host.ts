import type { CustomMessage } from "@pintle/agent";
import type { Resolution, Verdict } from "../../previews/pending-action.ts";
import { PartialApplyError } from "../../previews/previews.ts";
import { SessionError } from "../../storage/session-error.ts";
import { ASKING_TOOL_NAMES } from "../../tools/builtin-tools.ts";
import { NO_DIALOGS, type SessionDialogs } from "../../tools/session-dialogs.ts";
import type { SessionTools } from "./session-tools.ts";

/** How and on what a host decides. */
export interface HostChoice {
  reason?: string | undefined;
  /** Default: the newest. */
  actionId?: string | undefined;
  /** Apply it for these files of it only. */
  files?: readonly string[] | undefined;
}

export interface AttachedHostParts {
  tooling: SessionTools;
  /** Joins the conversation, when no call is open. */
  append(message: CustomMessage): void;
  now(): number;
}

/** The program at the other end: whether it answers questions and decides on previews. */
export class AttachedHost {
  readonly #parts: AttachedHostParts;

  constructor(parts: AttachedHostParts) {
    this.#parts = parts;
  }

  /** Undefined if the host is gone. */
  attach(dialogs: SessionDialogs | undefined): void {
    const { tooling } = this.#parts;
    tooling.dialogs = dialogs ?? NO_DIALOGS;
    tooling.previews.hasHost = dialogs !== undefined;
  }

  declare({ answersQuestions, decidesPreviews }: { answersQuestions: boolean; decidesPreviews: boolean }): void {
    const { registry, previews } = this.#parts.tooling;
    for (const name of ASKING_TOOL_NAMES) registry.setOffered(name, answersQuestions);
    previews.isHostDeciding = decidesPreviews;
  }

  /** Decides on a staged change in the place of the model: the newest, or the one named. */
  async resolvePendingAction(verdict: Verdict, { reason, actionId, files }: HostChoice = {}): Promise<Resolution> {
    const { tooling, append, now } = this.#parts;
    const isForModel = tooling.previews.decider === "model";
    const defaultReason = verdict === "apply" ? "Applied by the host" : "Discarded by the host";
    const resolution = await tooling.previews
      .decide({ verdict, reason: reason ?? defaultReason, by: "host", files }, actionId)
      .catch((error: Error) => {
        throw new SessionError(error instanceof PartialApplyError ? "invalid_request" : "not_found", error.message);
      });
    // With the host as decider the call that staged it is still open and gets the outcome as its result.
    if (isForModel) append(toOutcomeMessage(resolution, now()));
    return resolution;
  }
}

/** Tells the model what became of its preview. */
function toOutcomeMessage({ action, verdict, reason, text }: Resolution, timestamp: number): CustomMessage {
  return {
    role: "custom",
    customType: "resolve-result",
    // The result of the tool still says that it waits, and so may a reminder.
    content: `${text}\nThe user has decided on the preview ${JSON.stringify(action.label)}: there is nothing left to resolve of it.`,
    display: true,
    details: { actionId: action.id, action: verdict, reason, label: action.label },
    attribution: "user",
    timestamp,
  };
}
