import { readFileSync } from "node:fs";
import { descendants } from "./process-tree.ts";

/** The part of a session that the limit uses. */
export interface LimitedSession {
  /** Returns the number of runs so far. */
  readonly runs: number;
  readonly isRunning: boolean;
  readonly pid: number | undefined;
  /** Aborts the run and reports why. */
  limitRun(reason: string): void;
  /** Kills the engine and reports why. */
  killFor(reason: string): void;
}

export interface CpuLimitOptions {
  seconds: number;
  sessions(): Iterable<LimitedSession>;
  /** How often to read the CPU time. */
  everyMs?: number;
  /** How long an aborted run may take to end before its engine is killed. */
  graceMs?: number;
}

interface Run {
  number: number;
  pid: number;
  before: number;
  abortedAt?: number;
}

const EVERY_MS = 500;
/** Tools have five seconds to end after an abort. */
const GRACE_MS = 10_000;

/** Whether the CPU time of processes can be read on this system. */
export function canLimitCpu(): boolean {
  return cpuSeconds(process.pid) !== undefined;
}

/**
 * Ends runs that exceed their CPU time, together with their tools. It reads the time from outside: a limit of the system
 * (`RLIMIT_CPU`) applies to the whole life of a process, so it would end long sessions instead of greedy runs.
 */
export class CpuLimit {
  readonly #options: Required<CpuLimitOptions>;
  readonly #runs = new WeakMap<LimitedSession, Run>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: CpuLimitOptions) {
    this.#options = { everyMs: EVERY_MS, graceMs: GRACE_MS, ...options };
    this.#timer = setInterval(() => this.#look(), this.#options.everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const session of this.#options.sessions()) {
      const used = session.isRunning && session.pid !== undefined ? cpuSeconds(session.pid) : undefined;
      if (used === undefined || session.pid === undefined) this.#runs.delete(session);
      else this.#check(session, session.pid, used);
    }
  }

  #check(session: LimitedSession, pid: number, used: number): void {
    const { seconds, graceMs } = this.#options;
    const known = this.#runs.get(session);
    if (known?.number !== session.runs || known.pid !== pid) {
      this.#runs.set(session, { number: session.runs, pid, before: used });
    } else if (known.abortedAt !== undefined) {
      if (performance.now() - known.abortedAt > graceMs) session.killFor(reasonOf(seconds));
    } else if (used - known.before > seconds) {
      known.abortedAt = performance.now();
      session.limitRun(reasonOf(seconds));
    }
  }
}

function reasonOf(seconds: number): string {
  return `The run used more than ${seconds} s of CPU time (serve.workerCpuSeconds)`;
}

/** `sysconf(_SC_CLK_TCK)`, which is 100 on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100;
/** Positions of utime, stime, cutime and cstime in `/proc/PID/stat`, counted from the field after the name. */
const TIMES = [11, 12, 13, 14];

/**
 * Returns the CPU seconds that a process and everything it started have used, including children that have ended. Returns undefined
 * if the system does not report it (not Linux), or if the process has ended.
 */
function cpuSeconds(pid: number): number | undefined {
  const own = ticksOf(pid);
  if (own === undefined) return undefined;
  const others = descendants(pid).map((child) => ticksOf(child) ?? 0);
  return others.reduce((sum, ticks) => sum + ticks, own) / TICKS_PER_SECOND;
}

function ticksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name may contain spaces and parentheses
    return TIMES.reduce((sum, place) => sum + Number(fields[place]), 0);
  } catch {
    return undefined;
  }
}
