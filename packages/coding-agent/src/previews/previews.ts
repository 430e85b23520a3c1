import { deriveTool, type Tool, type ToolResult } from "@pintle/agent";
import { within } from "@pintle/foundation";
import type { PendingActionInfo } from "@pintle/wire";
import type { CallScope } from "./call-scope.ts";
import {
  NOTHING_PENDING_TEXT,
  type PendingAction,
  type PendingActionInput,
  type Resolution,
} from "./pending-action.ts";
import { PendingActionStore } from "./pending-action-store.ts";
import { type Decision, runResolution } from "./run-resolution.ts";

export type PreviewEvent =
  | { type: "pending_action_added"; action: PendingActionInfo }
  | {
      type: "pending_action_resolved";
      actionId: string;
      action: Decision["verdict"];
      reason: string;
      by: Decision["by"];
      isError: boolean;
      text: string;
    };

/** Decides on previews in this process, instead of a host. */
export type PreviewResolver = (
  action: PendingActionInfo,
  signal: AbortSignal,
) => Promise<{ action: Decision["verdict"]; reason?: string }>;

export interface PreviewsParts {
  /** Who decides: the setting, unless a host declared that it does. */
  decider(): "model" | "host";
  /** Whether a host could decide. */
  hasHost(): boolean;
  /** How long a run waits for the host's decision. */
  timeoutMs(): number;
  now(): number;
  emit(event: PreviewEvent): void;
  warn(text: string): void;
  /** Reports a failed discard that no call was waiting for. */
  reportFault(toolName: string, error: string): void;
  resolver?: PreviewResolver;
}

class UnknownActionError extends Error {}

/** The preview cannot be applied to these files and is still pending. */
export class PartialApplyError extends Error {}

/** Owns the staged changes of a session and who decides on them. */
export class Previews {
  readonly parts: PreviewsParts;
  readonly #store: PendingActionStore;
  /** From the push until the action has run. */
  readonly #open = new Map<string, PromiseWithResolvers<Resolution>>();
  readonly #deadlines = new Map<string, number>();
  readonly #onHostGone = new Set<() => void>();
  #scope: CallScope | undefined;

  constructor(parts: PreviewsParts) {
    this.parts = parts;
    this.#store = new PendingActionStore(parts.now);
  }

  get decider(): "model" | "host" {
    return this.parts.decider();
  }

  get hasPending(): boolean {
    return this.#store.hasPending;
  }

  /** The one that `resolve` decides on. */
  get newest(): PendingAction | undefined {
    return this.#store.list()[0];
  }

  /** Top first. */
  get pending(): readonly PendingAction[] {
    return this.#store.list();
  }

  /** Top first. */
  list(): PendingActionInfo[] {
    return this.#store.list().map((action) => this.#toInfo(action));
  }

  push(input: PendingActionInput): void {
    const action = this.#store.push(input);
    this.#open.set(action.id, Promise.withResolvers());
    this.#scope?.current()?.staged.push(action);
    this.parts.emit({ type: "pending_action_added", action: this.#toInfo(action) });
  }

  /** Runs the top action, or a named one, exactly once. Throws UnknownActionError when there is none. */
  async decide(decision: Decision, actionId?: string): Promise<Resolution> {
    if (decision.files) this.#requireFiles(decision.files, actionId);
    const action = actionId === undefined ? this.#store.pop() : this.#store.take(actionId);
    if (!action) {
      throw new UnknownActionError(
        actionId === undefined ? NOTHING_PENDING_TEXT : `Pending action not found: ${actionId}`,
      );
    }
    const resolution = await runResolution(action, decision);
    const { verdict, reason, by, result, text } = resolution;
    const open = this.#open.get(action.id);
    this.#open.delete(action.id);
    this.parts.emit({
      type: "pending_action_resolved",
      actionId: action.id,
      action: verdict,
      reason,
      by,
      isError: result.isError === true,
      text,
    });
    // The decision is answered before the call that waited for it continues.
    setImmediate(() => open?.resolve(resolution));
    return resolution;
  }

  /** Resolves when that action has run, however it was decided. */
  resolved(action: PendingAction): Promise<Resolution> | undefined {
    return this.#open.get(action.id)?.promise;
  }

  isPending(action: PendingAction): boolean {
    return this.#store.list().includes(action);
  }

  /** Set while a run waits for the host until `deadline`; undefined ends the wait. */
  setDeadline(action: PendingAction, deadline: number | undefined): void {
    if (deadline === undefined) this.#deadlines.delete(action.id);
    else this.#deadlines.set(action.id, deadline);
  }

  /** Applies the default to everything that waits for a disconnected host. */
  hostGone(): void {
    for (const listener of this.#onHostGone) listener();
  }

  onHostGone(listener: () => void): () => void {
    this.#onHostGone.add(listener);
    return () => this.#onHostGone.delete(listener);
  }

  /** Wraps a tool so that staged changes are attributed to its call and, if the host decides, the call stays open until the decision. */
  watch(tool: Tool): Tool {
    const execute: Tool["execute"] = async (args, call) => {
      const { CallScope, runStagingCall } = await import("./call-scope.ts");
      this.#scope ??= new CallScope();
      return runStagingCall(this, this.#scope, call, () => tool.execute(args, call) as Promise<ToolResult>);
    };
    return deriveTool(tool, { execute });
  }

  /** Discards everything, top down, when the session is left or ended. Does not wait for a slow clean-up. */
  async drain(reason: string, limits: { eachMs: number; totalMs: number }): Promise<void> {
    const endAt = performance.now() + limits.totalMs;
    for (let top = this.#store.peek(); top; top = this.#store.peek()) {
      const ms = Math.min(limits.eachMs, Math.max(0, endAt - performance.now()));
      const decided = this.decide({ verdict: "discard", reason, by: "session" });
      const resolution = await within(ms, decided);
      if (!resolution) this.parts.reportFault(top.sourceToolName, `Discarding "${top.label}" takes too long`);
      else if (resolution.result.isError) this.parts.reportFault(top.sourceToolName, resolution.text);
    }
  }

  /** A change that cannot be applied in part stays pending. */
  #requireFiles(files: readonly string[], actionId: string | undefined): void {
    const action = actionId === undefined ? this.newest : this.pending.find(({ id }) => id === actionId);
    if (!action) return; // reported by the code that removed it
    const { label, applyFiles, paths = [] } = action;
    if (!applyFiles) throw new PartialApplyError(`"${label}" cannot be applied for some of its files`);
    const unknown = files.find((file) => !paths.includes(file));
    if (unknown !== undefined) throw new PartialApplyError(`"${label}" has no file ${JSON.stringify(unknown)}`);
  }

  #toInfo({ id, label, sourceToolName, details, createdAt, applyFiles, paths }: PendingAction): PendingActionInfo {
    const deadline = this.#deadlines.get(id);
    return {
      actionId: id,
      label,
      sourceToolName,
      ...(details !== undefined && { details }),
      ...(applyFiles && paths && { files: [...paths] }),
      createdAt,
      ...(deadline !== undefined && { deadline }),
    };
  }
}
