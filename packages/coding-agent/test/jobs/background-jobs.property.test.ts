import { describe, expect, test } from "bun:test";
import type { CustomMessage } from "@pintle/agent";
import type { ShellEnd } from "@pintle/exec/processes";
import type { AgentSessionEvent, SessionEntry } from "@pintle/wire";
import fc from "fast-check";
import { BackgroundJobs } from "../../src/jobs/background-jobs.ts";
import { JobOutput } from "../../src/jobs/job-output.ts";
import { JOB_RECORD_TYPE, reportedJobs } from "../../src/jobs/job-records.ts";

// A session in miniature: runs, turn boundaries, aborts, cancellations and jobs that end at any moment.

type Step =
  | { kind: "start"; isService: boolean }
  | { kind: "end"; index: number; exitCode: number }
  | { kind: "cancel"; index: number }
  | { kind: "turn" | "finish" | "abort" | "prompt" | "reopen" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), isService: fc.boolean() }),
  fc.record({ kind: fc.constant("end" as const), index: fc.nat(20), exitCode: fc.constantFrom(0, 0, 1) }),
  fc.record({ kind: fc.constant("cancel" as const), index: fc.nat(20) }),
  fc.record({ kind: fc.constantFrom("turn", "finish", "abort", "prompt", "prompt", "reopen") }) as fc.Arbitrary<Step>,
);

class Session {
  readonly entries: SessionEntry[] = [];
  readonly events: AgentSessionEvent[] = [];
  readonly delivered: string[] = [];
  readonly running: { id: string; isService: boolean; end(end: ShellEnd): void; isOver: boolean }[] = [];
  isRunning = false;
  jobs = this.#open();
  #waiting: CustomMessage | undefined;

  #open(): BackgroundJobs {
    const jobs = new BackgroundJobs({
      now: () => 0,
      maxJobs: () => 50,
      isWanted: () => true,
      session: () => ({ id: "s", entries: () => this.entries }),
      record: (data) => this.#append({ type: "custom", customType: JOB_RECORD_TYPE, data }),
      emit: (event) => this.events.push(event),
      startRun: async (message) => {
        this.isRunning = true;
        this.#add(message);
      },
      isIdle: () => !this.isRunning,
    });
    jobs.beginRun();
    return jobs;
  }

  #append(fields: object): void {
    this.entries.push({ id: `e${this.entries.length}`, parentId: null, timestamp: "", ...fields } as SessionEntry);
  }

  #add(message: CustomMessage): void {
    this.delivered.push(...reportedJobs(message));
    this.#append({ type: "custom_message", ...message });
    this.jobs.onMessage(message);
  }

  start(isService: boolean): void {
    const finished = Promise.withResolvers<{ end: ShellEnd }>();
    const job = {
      id: "",
      isService,
      isOver: false,
      end(end: ShellEnd) {
        job.isOver = true;
        finished.resolve({ end });
      },
    };
    const stop = () => job.end({ kind: "cancelled" });
    const output = new JobOutput(undefined);
    job.id = this.jobs.add({ command: "c", isService, output, finished: finished.promise, stop }).id;
    this.running.push(job);
  }

  async take(next: Step): Promise<void> {
    const jobAt = (index: number) => this.running.filter(({ isOver }) => !isOver).at(index);
    if (next.kind === "start") this.start(next.isService);
    else if (next.kind === "end") jobAt(next.index)?.end({ kind: "exited", exitCode: next.exitCode });
    else if (next.kind === "cancel") {
      const job = jobAt(next.index);
      if (job) await this.jobs.cancel(job.id, { isByHost: true });
    } else await this[next.kind]();
    await Bun.sleep(0);
  }

  /** The boundary between two turns: a message that was taken is added, unless the run is aborted first. */
  turn(): void {
    if (!this.isRunning) return;
    if (this.#waiting) this.#add(this.#waiting);
    this.#waiting = this.jobs.report();
  }

  async finish(): Promise<void> {
    if (!this.isRunning) return;
    this.turn();
    if (this.#waiting) return; // a report requests another turn
    this.isRunning = false;
    this.jobs.onRunEnd(false);
    await this.jobs.deliver();
  }

  abort(): void {
    this.jobs.holdResults();
    if (!this.isRunning) return;
    this.#waiting = undefined;
    this.isRunning = false;
    this.jobs.onRunEnd(true);
  }

  prompt(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    const report = this.jobs.report();
    if (report) this.#add(report);
  }

  async reopen(): Promise<void> {
    for (const job of this.running) job.isOver = true;
    this.#waiting = undefined;
    this.isRunning = false;
    this.jobs = this.#open();
  }
}

describe("background jobs", () => {
  test("every result reaches the model exactly once, whatever happens in between", async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const session = new Session();
        for (const one of all) await session.take(one);
        for (const { isOver, end } of session.running) if (!isOver) end({ kind: "exited", exitCode: 1 });
        await Bun.sleep(0);
        session.abort();
        session.prompt();
        session.turn();
        session.turn();
        expect(session.jobs.isPending).toBe(false);
        expect(new Set(session.delivered).size).toBe(session.delivered.length);
        const ofCommands = session.running.filter(({ isService }) => !isService).map(({ id }) => id);
        expect(ofCommands.filter((id) => !session.delivered.includes(id))).toEqual([]);
        const started = session.events.filter(({ type }) => type === "async_job_start").length;
        expect(started).toBe(session.running.length);
      }),
      { numRuns: 300 },
    );
  });
});
