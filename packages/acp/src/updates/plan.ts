import type { PlanEntry, PlanEntryStatus } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";

const STATUS: Readonly<Record<string, PlanEntryStatus | undefined>> = {
  pending: "pending",
  in_progress: "in_progress",
  completed: "completed",
  // Abandoned tasks are no longer part of the plan.
};

/** Converts the todo list to a plan. Returns undefined if it is not one. */
export function toPlan(phases: unknown): PlanEntry[] | undefined {
  if (!Array.isArray(phases)) return undefined;
  return phases.flatMap((phase: unknown) =>
    isRecord(phase) && Array.isArray(phase.tasks) ? phase.tasks.flatMap(toEntry) : [],
  );
}

function toEntry(task: unknown): PlanEntry[] {
  if (!isRecord(task) || typeof task.content !== "string") return [];
  const status = STATUS[String(task.status)];
  return status ? [{ content: task.content, priority: "medium", status }] : [];
}
