import type { Clock, StandingChoice } from "@pintle/agent";
import { PreviewSteering } from "../../previews/preview-steering.ts";
import type { Previews } from "../../previews/previews.ts";
import { resolveTool } from "../../tools/resolve.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RunPolicy } from "./policy.ts";

export interface PreviewsPolicyParts {
  previews: Previews;
  clock: Clock;
  models: ModelState;
  conversation: OpenConversation;
}

/** Makes the model decide on what it has staged, and delays a structured output until it has. */
export function createPreviewSteering({ previews, clock, models, conversation }: PreviewsPolicyParts): {
  policy: RunPolicy;
  /** The tool that the next model call must use. */
  choice: StandingChoice;
  obstacle(): string | undefined;
} {
  const steering = new PreviewSteering({
    previews,
    tool: resolveTool.name,
    model: () => models.current,
    now: clock.now,
  });
  conversation.onContextReplaced(() => steering.forgetReminders());
  const policy: RunPolicy = {
    name: "previews",
    onPrompt: () => ({ behind: steering.onPrompt() }),
    next: steering.next,
  };
  return { policy, choice: steering.choice, obstacle: () => steering.obstacle() };
}
