import { addUsage, type Usage, zeroUsage } from "@pintle/ai";
import { CompactionError } from "../compaction-error.ts";
import type { CompactionCause } from "../compaction-hooks.ts";
import type { CompactorParts } from "../compaction-types.ts";
import type { SummaryModelAccess } from "./summary-request.ts";

/** What a summary is for, as events about its retries report it. */
type SummaryPurpose = { source: "compaction"; reason: CompactionCause["reason"] } | { source: "branchSummary" };

/** Access to the models that may write a summary, and their total cost. */
export function summaryAccess(
  parts: CompactorParts,
  purpose: SummaryPurpose,
): { access: SummaryModelAccess; usage(): Usage } {
  const { settings, stream, clock } = parts;
  const preferred = parts.summaryModels?.() ?? [];
  const own = parts.model();
  const models = preferred.length > 0 ? preferred : own ? [own] : [];
  if (models.length === 0) throw new CompactionError("no_model", "No model selected");
  const total = zeroUsage();
  const access: SummaryModelAccess = {
    stream,
    clock,
    models,
    requestSetup: (model) => parts.requestSetup(model),
    retry: {
      enabled: settings.get("retry.enabled"),
      maxRetries: settings.get("retry.maxRetries"),
      baseDelayMs: settings.get("retry.baseDelayMs"),
      maxDelayMs: settings.get("retry.maxDelayMs"),
    },
    onRetry: {
      scheduled: (retry) => parts.emit({ type: "summarization_retry_scheduled", ...retry }),
      started: () => parts.emit({ type: "summarization_retry_attempt_start", ...purpose }),
      finished: () => parts.emit({ type: "summarization_retry_finished" }),
    },
    onUsage: (usage, model) => {
      addUsage(total, usage);
      parts.onUsage?.(usage, model);
    },
  };
  return { access, usage: () => total };
}
