import { visiblePath } from "@pintle/foundation";
import type { Job } from "@pintle/wire";
import { ageText, titleOf } from "../../cli/session-table.ts";
import { textTable } from "../../cli/text-table.ts";

const HEADS = ["id", "status", "age", "attempt", "node", "cost", "prompt"];

/** Returns the output of `pintle jobs`. Everything comes from a server and may contain anything. */
export function jobTable(jobs: readonly Job[], now: number): string {
  const cells = jobs.map(({ jobId, status, submittedAt, attempt, attempts, node = "", cost, prompt }) => [
    visiblePath(jobId),
    status,
    ageText(now - Date.parse(submittedAt)),
    `${attempt}/${attempts}`,
    visiblePath(node),
    cost === undefined ? "" : `$${cost.toFixed(4)}`,
    titleOf(prompt),
  ]);
  return textTable([HEADS, ...cells]);
}

/** Describes the current state of a job in one line. */
export function progressText({ status, node, sessionId, attempt, attempts, isCancelling, error }: Job): string {
  const where = status === "running" && node !== undefined ? ` on ${node}` : "";
  const what = isCancelling ? "is being cancelled" : `${status}${where}`;
  const which = attempt > 1 ? `, attempt ${attempt} of ${attempts}` : "";
  const session = status === "running" && sessionId !== undefined ? `, session ${sessionId}` : "";
  return visiblePath(`${what}${which}${session}${error === undefined ? "" : `: ${error}`}`);
}

/** Returns everything known about a job, one item per line. */
export function jobText({ result, ...job }: Job): string {
  const lines = Object.entries(job).map(([name, value]) => `${name}: ${visiblePath(textOf(value))}\n`);
  return `${lines.join("")}${result === undefined ? "" : `\n${result.trimEnd()}\n`}`;
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}
