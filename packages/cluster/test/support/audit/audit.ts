import { oneOwner, risingFences, writtenUnderLease } from "./check-fences.ts";
import { jobsChangeInOrder, jobsEnd, jobsWithinAttempts } from "./check-jobs.ts";
import { appendOnly, filesAreTheLog, oneChain } from "./check-log.ts";
import { promptsOnce } from "./check-prompts.ts";
import { inOrder, toldIsStored } from "./check-told.ts";
import type { Check, Evidence } from "./evidence.ts";

export const CHECKS = {
  promptsOnce,
  oneChain,
  appendOnly,
  filesAreTheLog,
  risingFences,
  oneOwner,
  writtenUnderLease,
  toldIsStored,
  inOrder,
  jobsEnd,
  jobsWithinAttempts,
  jobsChangeInOrder,
} satisfies Record<string, Check>;

/** Should be empty: each violation with the name of its rule. */
export function audit(evidence: Evidence): string[] {
  return Object.entries(CHECKS).flatMap(([name, check]) => check(evidence).map((text) => `${name}: ${text}`));
}
