import { errorCode } from "@pintle/foundation";
import { cancelKillOnExit, killOnExit } from "./exit-kill.ts";
import { findSessionMembers, type ProcessFacts } from "./process-table.ts";

export type StopReason = "aborted" | "timed_out" | "session_change" | "shutdown";

/** Shorter than `agent.abortGraceMs`, so that an abort does not give up on a command that ignores SIGTERM. */
export const STOP_GRACE_MS = 500;
/** How long to wait after SIGKILL, because a process in an uninterruptible wait does not die. */
const GIVE_UP_MS = 2_000;
const FIRST_PAUSE_MS = 10;
const STOPPING_PAUSE_MS = 100;
/** Commands often follow each other immediately; after this pause, one check serves many of them. */
const FINISHED_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** The processes of one command. Its id is the process id of its leader, and the id of their session. */
export class ProcessGroup {
  readonly id: number;
  readonly settled: Promise<void>;
  /** Why it was asked to stop. The first reason wins. */
  stoppedFor: StopReason | undefined;
  leaderRuns = true;
  killAt: number | undefined;
  /** Groups that have received SIGTERM. */
  readonly warned = new Set<number>();
  /** Resolves `settled`: no process of the group is left, or nothing more can be done. */
  readonly settle: () => void;

  constructor(id: number) {
    this.id = id;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.settled = promise;
    this.settle = resolve;
  }

  /** True if it was asked to stop and may still do so. */
  get isStopping(): boolean {
    return this.killAt !== undefined && performance.now() < this.killAt + GIVE_UP_MS;
  }
}

/**
 * Tracks every group that may have a living process until it is found empty: running commands, and what finished commands left in
 * the background. One timer checks those that should end or may have ended; without any there is no timer.
 */
export class ProcessGroups {
  readonly #groups = new Map<number, ProcessGroup>();
  readonly #onGone: (id: number) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerDue = Number.POSITIVE_INFINITY;
  #pause = FIRST_PAUSE_MS;

  constructor(onGone: (id: number) => void) {
    this.#onGone = onGone;
  }

  get size(): number {
    return this.#groups.size;
  }

  /**
   * The number of commands that have ended and left something running; a group that has just ended is included until it has been
   * checked.
   */
  get leftBehind(): number {
    return [...this.#groups.values()].filter((group) => !group.leaderRuns && group.killAt === undefined).length;
  }

  /** Looks now whether commands that have ended left something running, instead of with the next regular check. */
  checkLeftBehind(): number {
    if (this.leftBehind > 0) {
      clearTimeout(this.#timer);
      this.#look();
    }
    return this.leftBehind;
  }

  add(id: number): ProcessGroup {
    this.#groups.get(id)?.settle(); // the system reused the number, so the old group is gone
    const group = new ProcessGroup(id);
    this.#groups.set(id, group);
    killOnExit(this);
    return group;
  }

  leaderExited(group: ProcessGroup): void {
    group.leaderRuns = false;
    this.#pause = FIRST_PAUSE_MS;
    this.#lookAfter(group.killAt === undefined ? FINISHED_PAUSE_MS : FIRST_PAUSE_MS);
  }

  /**
   * Sends SIGTERM now and SIGKILL after the grace period; without a grace period, sends SIGKILL now. A second call can only
   * shorten the time.
   */
  stop(group: ProcessGroup, reason: StopReason, graceMs = STOP_GRACE_MS): void {
    if (this.#groups.get(group.id) !== group) return;
    if (group.leaderRuns) group.stoppedFor ??= reason;
    group.killAt = Math.min(group.killAt ?? Number.POSITIVE_INFINITY, performance.now() + graceMs);
    this.#signal(group, []);
    this.#pause = FIRST_PAUSE_MS;
    this.#lookAfter(0); // finds processes outside the group, with one check for all that stop in this turn
  }

  /** Resolves when no process of the present groups is left, or nothing more can be done. */
  async stopAll(reason: StopReason, graceMs = STOP_GRACE_MS): Promise<void> {
    // A command that is still running belongs to its caller and outlives the session that started it.
    const isMeant = (group: ProcessGroup) => reason !== "session_change" || !group.leaderRuns;
    const groups = [...this.#groups.values()].filter(isMeant);
    for (const group of groups) this.stop(group, reason, graceMs);
    await Promise.all(groups.map((group) => group.settled));
  }

  /** Kills everything at the end of the process, when nothing can be awaited. */
  killNow(): void {
    const members = findSessionMembers(new Set(this.#groups.keys()));
    for (const group of this.#groups.values()) {
      group.killAt = 0;
      this.#signal(group, members?.get(group.id) ?? []);
    }
  }

  #signal(group: ProcessGroup, members: readonly ProcessFacts[]): void {
    const mustDie = performance.now() >= (group.killAt ?? Number.POSITIVE_INFINITY);
    for (const id of new Set([group.id, ...members.map((member) => member.group)])) {
      if (mustDie) signalGroup(id, "SIGKILL");
      else if (!group.warned.has(id)) signalGroup(id, "SIGTERM");
      group.warned.add(id);
    }
  }

  #lookAfter(ms: number): void {
    const due = performance.now() + ms;
    if (due >= this.#timerDue) return;
    clearTimeout(this.#timer);
    this.#timerDue = due;
    this.#timer = setTimeout(() => this.#look(), ms);
    // Background processes must not keep the host's process alive; exit-kill.ts handles them.
    if (!this.#watched().some((group) => group.isStopping)) this.#timer.unref();
  }

  #watched(): ProcessGroup[] {
    return [...this.#groups.values()].filter((group) => !group.leaderRuns || group.killAt !== undefined);
  }

  #look(): void {
    this.#timer = undefined;
    this.#timerDue = Number.POSITIVE_INFINITY;
    const watched = this.#watched();
    const members = findSessionMembers(new Set(watched.map((group) => group.id)));
    for (const group of watched) {
      const isEmpty = members ? !members.has(group.id) : !groupExists(group.id);
      if (isEmpty && !group.leaderRuns) this.#remove(group);
      else if (group.killAt !== undefined) this.#signal(group, members?.get(group.id) ?? []);
      if (group.killAt !== undefined && !group.isStopping) group.settle();
    }
    const left = this.#watched();
    if (left.length > 0) this.#lookAfter(this.#nextPause(left));
  }

  #nextPause(groups: readonly ProcessGroup[]): number {
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    const kills = groups.filter((group) => group.isStopping).map((group) => group.killAt ?? 0);
    if (kills.length === 0) return Math.max(pause, FINISHED_PAUSE_MS);
    const nextKill = Math.min(...kills) - performance.now();
    return Math.min(pause, STOPPING_PAUSE_MS, nextKill > 0 ? nextKill : Number.POSITIVE_INFINITY);
  }

  #remove(group: ProcessGroup): void {
    this.#groups.delete(group.id);
    if (this.#groups.size === 0) cancelKillOnExit(this);
    this.#onGone(group.id);
    group.settle();
  }
}

/** Signals a group. The id must be of a group that we started, or found in a session that we started. */
function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // ESRCH: already gone, as intended. EPERM: it runs as another user (sudo) and is out of reach.
  }
}

/** Returns whether a group exists, including zombies. */
function groupExists(id: number): boolean {
  try {
    process.kill(-id, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}
