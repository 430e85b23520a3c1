import type { Clock } from "@pintle/agent";
import type { Settings } from "../../config/settings/settings.ts";
import { PreviewSteering } from "../../previews/preview-steering.ts";
import type { Previews } from "../../previews/previews.ts";
import { resolveTool } from "../../tools/resolve.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RunPolicy } from "./policy.ts";

export interface PreviewsPolicyParts {
  previews: Previews;
  settings: Settings;
  clock: Clock;
  models: ModelState;
  conversation: OpenConversation;
}

/** Leads the model to decide on what it has staged. */
export function previewsPolicy({ previews, settings, clock, models, conversation }: PreviewsPolicyParts): RunPolicy {
  const steering = new PreviewSteering({
    previews,
    tool: resolveTool.name,
    strength: () => settings.get("resolve.steering"),
    model: () => models.current,
    now: clock.now,
  });
  conversation.onContextReplaced(() => steering.forgetReminders());
  return {
    name: "previews",
    onPrompt: () => ({ behind: steering.onPrompt() }),
    choice: steering.choice,
    next: steering.next,
  };
}
