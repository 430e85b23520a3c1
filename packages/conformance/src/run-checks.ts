import type { LoggedLine } from "./agent-process.ts";
import { type Check, linkOf } from "./check.ts";
import { Violation } from "./failure.ts";
import { FEATURES } from "./profile.ts";
import { Trial, type TrialOptions } from "./trial.ts";

export interface CheckReport {
  name: string;
  rule: string;
  link: string;
  outcome: "passed" | "failed" | "skipped";
  /** What was violated, or why it was skipped. */
  message?: string;
  /** The last frames before the failure. */
  frames?: LoggedLine[];
  durationMs: number;
}

const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 500;

/** A command that is not an agent is reported once, before any check. */
export async function startsAtAll(options: TrialOptions): Promise<void> {
  const trial = await Trial.begin(options);
  try {
    await trial.start();
  } catch (error) {
    throw new Error(`The agent does not answer get_state: ${error instanceof Error ? error.message : error}`);
  } finally {
    await trial.end();
  }
}

/** Runs several at once; reports are in the order of the checks. */
export async function runChecks(
  checks: readonly Check[],
  options: TrialOptions,
  { jobs, onReport }: { jobs: number; onReport(report: CheckReport): void },
): Promise<CheckReport[]> {
  const reports: CheckReport[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < checks.length; index = next++) {
      const report = await runCheck(checks[index] as Check, options);
      reports[index] = report;
      onReport(report);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return reports;
}

async function runCheck(check: Check, options: TrialOptions): Promise<CheckReport> {
  const started = Date.now();
  const about = { name: check.name, rule: check.rule, link: linkOf(check) };
  const { needs } = check;
  if (needs !== undefined && !options.profile.features.includes(needs)) {
    return { ...about, outcome: "skipped", message: `not declared: ${FEATURES[needs]}`, durationMs: 0 };
  }
  const trial = await Trial.begin(options);
  try {
    await check.run(trial);
    const [stray] = trial.strayLines;
    if (stray !== undefined) throw new Violation(`a line on stdout is not a JSON object: ${stray.slice(0, 200)}`);
    return { ...about, outcome: "passed", durationMs: Date.now() - started };
  } catch (error) {
    const message = error instanceof Violation ? error.message : `the check itself failed: ${String(error)}`;
    const frames = trial.lastLines(SHOWN_LINES).map(({ way, text }) => ({ way, text: cut(text) }));
    return { ...about, outcome: "failed", message, frames, durationMs: Date.now() - started };
  } finally {
    await trial.end();
  }
}

const cut = (text: string) => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
