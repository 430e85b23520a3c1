import type { Agent } from "@pintle/agent";
import { NotSavedError, SessionError } from "@pintle/storage";
import type { AgentSessionEvent, CompactionResult, RewindResult } from "@pintle/wire";
import type { NavigateOptions, Navigation } from "../../compaction/tree-navigation.ts";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { AutoRetry } from "../policies/auto-retry.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { SessionCompaction } from "../policies/session-compaction.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import type { Prompting } from "../prompting/prompting.ts";
import type { ChangeLock } from "../runs/change-lock.ts";
import type { Consent } from "../runs/consent.ts";
import type { RunController } from "../runs/run-controller.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import type { FileMove, FileRewind, SessionUndo } from "../undo/session-undo.ts";
import { DRAIN_MS, type SessionHandover } from "./session-handover.ts";

export interface SessionLifecycleParts {
  agent: Agent;
  changeLock: ChangeLock;
  conversation: OpenConversation;
  runs: RunController;
  retry: AutoRetry;
  prompting: Pick<Prompting, "giveUpLookups">;
  compaction: SessionCompaction;
  policies: RunPolicies;
  tooling: SessionTools;
  processes: SessionProcesses;
  jobs: BackgroundJobs;
  /** Ends the subagents that the last run waited for; resolves when they have ended. */
  endSubagents(): Promise<void>;
  consent: Consent;
  handover: SessionHandover;
  undo: SessionUndo;
  emit(event: AgentSessionEvent): void;
}

const LEFT_BEHIND_TEXT = "The conversation continues from another entry.";

/** Aborts, compacts, navigates and ends a session; one operation at a time, and no run starts during one. */
export class SessionLifecycle {
  readonly #parts: SessionLifecycleParts;
  /** Counts aborts, so that a request from before an abort does not start after it. */
  #abortCount = 0;

  constructor(parts: SessionLifecycleParts) {
    this.#parts = parts;
  }

  /** Resolves when the session is idle; immediately if it is. Background jobs continue unless `endsJobs` is set. */
  async abort({ endsJobs = false } = {}): Promise<void> {
    const { prompting, jobs, compaction, runs } = this.#parts;
    this.#abortCount += 1;
    prompting.giveUpLookups();
    jobs.holdResults();
    await Promise.all([compaction.abort(), runs.abort()]);
    await this.#parts.endSubagents();
    if (endsJobs) await jobs.cancelAll();
  }

  /**
   * Ends the wait for the next attempt, and with it the run. Resolves when the run has ended. Returns undefined if
   * nothing waits.
   */
  abortRetry(): Promise<void> | undefined {
    const { retry, agent } = this.#parts;
    return retry.abort() ? agent.idle() : undefined;
  }

  /** Ends the active run, which is not resumed, and replaces older messages with a summary. */
  compact(customInstructions?: string): Promise<CompactionResult> {
    const { changeLock, compaction, runs, conversation } = this.#parts;
    const endRun = runs.endOfNewest();
    const abortCount = this.#abortCount;
    return changeLock.run(async () => {
      await Promise.all([compaction.abort(), endRun()]);
      conversation.requireWritable();
      if (this.#abortCount !== abortCount) throw new SessionError("cancelled", "Compaction cancelled");
      return compaction.compact(customInstructions);
    });
  }

  /** Continues from another entry of the session's tree. Ends the active run first. */
  navigateTree(
    entryId: string,
    { files, onConflict, ...options }: NavigateOptions & FileMove = {},
  ): Promise<Navigation & { files?: RewindResult }> {
    const { changeLock, compaction, runs, conversation, policies, tooling, undo, emit } = this.#parts;
    const endRun = runs.endOfNewest();
    const abortCount = this.#abortCount;
    return changeLock.run(async () => {
      // Refuse an unknown entry before ending a run for it.
      if (!conversation.manager.entry(entryId)) throw new SessionError("not_found", `Entry not found: ${entryId}`);
      conversation.requireWritable();
      await Promise.all([compaction.abort(), endRun()]);
      if (this.#abortCount !== abortCount) throw new SessionError("cancelled", "The move was cancelled");
      const previousLeafId = conversation.manager.leafId;
      const rewind = await undo.beforeMove(entryId, { files, onConflict });
      const moved = await orUndo(rewind, () => compaction.navigate(entryId, options));
      // No message on the new branch mentions what was staged on the old one.
      if (moved.leafId !== previousLeafId)
        await tooling.previews.drain(LEFT_BEHIND_TEXT, { eachMs: DRAIN_MS, totalMs: DRAIN_MS });
      policies.restore("moved");
      emit({ type: "leaf_moved", leafId: moved.leafId, previousLeafId });
      return { ...moved, ...(rewind && { files: rewind.result }) };
    });
  }

  /**
   * Waits for a change that is in progress, and closes the session that is then open. Rejects if not everything was
   * stored.
   */
  dispose(): Promise<void> {
    const { changeLock, tooling, policies, processes, conversation, consent, handover } = this.#parts;
    consent.close();
    const aborted = this.abort();
    return changeLock.run(async () => {
      await aborted;
      await tooling.previews.drain("The session was closed", { eachMs: DRAIN_MS, totalMs: DRAIN_MS });
      await policies.close();
      await handover.notify({ kind: "shutdown" });
      await this.#parts.jobs.cancelAll();
      await processes.end("shutdown");
      const { manager } = conversation;
      const isSaved = manager.sync();
      manager.close();
      if (!isSaved) throw new NotSavedError(manager.sessionFile ?? "");
    });
  }
}

/** Brings the files back if the conversation does not move. */
async function orUndo<T>(rewind: FileRewind | undefined, move: () => Promise<T>): Promise<T> {
  try {
    return await move();
  } catch (error) {
    rewind?.undo();
    throw error;
  }
}
