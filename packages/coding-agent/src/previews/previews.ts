import { deriveTool, type Tool, type ToolResult } from "@pintle/agent";
import { within } from "@pintle/foundation";
import type { DecidedParts, PendingActionInfo, SubagentOrigin } from "@pintle/wire";
import { ApplyRefused } from "./apply-refused.ts";
import type { CallScope } from "./call-scope.ts";
import {
  NOTHING_PENDING_TEXT,
  type PendingAction,
  type PendingActionInput,
  type Resolution,
} from "./pending-action.ts";
import { PendingActionStore } from "./pending-action-store.ts";
import { type Decision, type PartialDecision, runResolution } from "./run-resolution.ts";
import type { NamedParts } from "./select-parts.ts";

export type PreviewEvent =
  | { type: "pending_action_added"; action: PendingActionInfo }
  | ({
      type: "pending_action_resolved";
      actionId: string;
      action: Decision["verdict"];
      reason: string;
      by: Decision["by"];
      isError: boolean;
      text: string;
    } & Partial<DecidedParts>);

/** Decides on previews in this process, instead of a host. Can name the parts to apply, as in `resolve_pending_action`. */
export type PreviewResolver = (
  action: PendingActionInfo,
  signal: AbortSignal,
) => Promise<{ action: Decision["verdict"]; reason?: string } & NamedParts>;

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
  /** The subagent whose changes they are. */
  subagent?: SubagentOrigin | undefined;
}

class UnknownActionError extends Error {}

/** The tools from which watched ones were derived. */
const originals = new WeakMap<Tool, Tool>();

/** Returns the tool as it was before it was watched, because each session watches its own calls. */
export function unwatched(tool: Tool): Tool {
  return originals.get(tool) ?? tool;
}

const notFound = (id: string) => `Pending action not found: ${id}`;
const SESSION_LEFT = "Session changed before the action was resolved.";

/** Owns the staged changes of a session and who decides on them. */
export class Previews {
  readonly parts: PreviewsParts;
  readonly #store: PendingActionStore;
  /** The outcome of each action, from the push until the action has run. */
  readonly #open = new Map<string, PromiseWithResolvers<Resolution>>();
  readonly #deadlines = new Map<string, number>();
  readonly #onHostGone = new Set<() => void>();
  /** Decisions that are being carried out. A refused one leaves its action pending. */
  readonly #attempts = new Map<string, Promise<unknown>>();
  readonly #adopted = new Set<Previews>();
  #drains = 0;
  /** Loaded with the first call of a watched tool. */
  #calls: CallScope | undefined;

  constructor(parts: PreviewsParts) {
    this.parts = parts;
    this.#store = new PendingActionStore(parts.now, parts.subagent?.id);
  }

  /** Lets the host decide what a subagent stages. Returns the function that ends that. */
  adopt(ofSubagent: Previews): () => void {
    this.#adopted.add(ofSubagent);
    return () => this.#adopted.delete(ofSubagent);
  }

  get decider(): "model" | "host" {
    return this.parts.decider();
  }

  get hasPending(): boolean {
    return this.#store.hasPending;
  }

  /** The preview that `resolve` decides on. */
  get newest(): PendingAction | undefined {
    return this.#store.list()[0];
  }

  /** The pending actions, top first. */
  get pending(): readonly PendingAction[] {
    return this.#store.list();
  }

  /** Describes the pending actions, top first, and then those of subagents that the host decides. */
  list(): PendingActionInfo[] {
    const own = this.#store.list().map((action) => this.#toInfo(action));
    return [...own, ...this.#forHost.flatMap((previews) => previews.list())];
  }

  get #forHost(): Previews[] {
    return [...this.#adopted].filter(({ decider }) => decider === "host");
  }

  /** Returns the owner of an action that this session does not have itself; the newest one without an id. */
  #ownerOf(actionId: string | undefined): Previews | undefined {
    if (actionId === undefined ? this.hasPending : this.pending.some(({ id }) => id === actionId)) return undefined;
    return this.#forHost.find(({ pending }) => pending.some(({ id }) => actionId === undefined || id === actionId));
  }

  /** Stages a change for the session whose call is running: a subagent may call a tool of the session it works for. */
  push(input: PendingActionInput): void {
    const owner = this.#calls?.current()?.previews ?? this;
    owner.pushOwn(input);
  }

  /** Stages a change of this session, even if a call of another one makes it. */
  pushOwn(input: PendingActionInput): void {
    const call = this.#calls?.current();
    const action = this.#store.push(input);
    this.#open.set(action.id, Promise.withResolvers());
    if (call?.previews === this) call.staged.push(action);
    this.parts.emit({ type: "pending_action_added", action: this.#toInfo(action) });
  }

  /**
   * Runs the top action, or a named one, exactly once. Throws UnknownActionError if there is none, and ApplyRefused if it
   * cannot be applied like this and is still pending.
   */
  async decide(choice: Decision & NamedParts, actionId?: string): Promise<Resolution> {
    const owner = this.#ownerOf(actionId);
    if (owner) return owner.decide(choice, actionId);
    const { files, hunks, edits, ...decision } = choice;
    const named = files || hunks || edits ? { files, hunks, edits } : undefined;
    const found = this.#find(actionId);
    const partial = named && (await this.#choose(found, named));
    const action = this.#store.take(found.id);
    if (!action) throw new UnknownActionError(notFound(found.id));
    const attempt = runResolution(action, decision, partial);
    this.#attempts.set(action.id, attempt);
    const drains = this.#drains;
    try {
      return this.#resolve(action, await attempt);
    } catch (error) {
      if (!(error instanceof ApplyRefused)) throw error;
      this.#store.putBack(action);
      // The session that it belongs to has been left meanwhile.
      if (drains !== this.#drains)
        await this.decide({ verdict: "discard", reason: SESSION_LEFT, by: "session" }, action.id);
      throw error;
    } finally {
      this.#attempts.delete(action.id);
    }
  }

  #resolve(action: PendingAction, resolution: Resolution): Resolution {
    const { verdict, reason, by, result, text, parts } = resolution;
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
      ...parts,
    });
    // The decision is answered before the call that waited for it continues.
    setImmediate(() => open?.resolve(resolution));
    return resolution;
  }

  /** Resolves when that action has run, however it was decided. */
  resolved(action: PendingAction): Promise<Resolution> | undefined {
    return this.#open.get(action.id)?.promise;
  }

  /** Resolves when no decision on the action is being carried out. It may be pending again after that. */
  async attempted(action: PendingAction): Promise<void> {
    await this.#attempts.get(action.id)?.catch(() => {});
  }

  /** Returns the text that a preview proposes for one of its files. Throws UnknownActionError or ApplyRefused. */
  async proposedText(path: string, actionId?: string): Promise<{ actionId: string; path: string; content: string }> {
    const owner = this.#ownerOf(actionId);
    if (owner) return owner.proposedText(path, actionId);
    const action = this.#find(actionId);
    const { selectParts } = await import("./select-parts.ts");
    selectParts(action, { edits: [{ path, content: "" }] }); // throws for everything that cannot be edited
    if (!action.proposedText) {
      throw new ApplyRefused("invalid_request", `"${action.label}" does not provide the text of its files`);
    }
    return { actionId: action.id, path, content: await action.proposedText(path) };
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
    for (const previews of this.#adopted) previews.hostGone();
    for (const listener of this.#onHostGone) listener();
  }

  onHostGone(listener: () => void): () => void {
    this.#onHostGone.add(listener);
    return () => this.#onHostGone.delete(listener);
  }

  /** Wraps a tool so that staged changes are attributed to its call and, if the host decides, the call stays open until the decision. */
  watch(tool: Tool): Tool {
    const execute: Tool["execute"] = async (args, call) => {
      const { CALLS, runStagingCall } = await import("./call-scope.ts");
      this.#calls = CALLS;
      return runStagingCall(this, CALLS, call, () => tool.execute(args, call) as Promise<ToolResult>);
    };
    const watched = deriveTool(tool, { execute });
    originals.set(watched, tool);
    return watched;
  }

  /** Discards everything, top down, when the session is left or ended. Does not wait for a slow clean-up. */
  async drain(reason: string, limits: { eachMs: number; totalMs: number }): Promise<void> {
    this.#drains += 1;
    const endAt = performance.now() + limits.totalMs;
    for (let top = this.#store.peek(); top; top = this.#store.peek()) {
      const ms = Math.min(limits.eachMs, Math.max(0, endAt - performance.now()));
      const decided = this.decide({ verdict: "discard", reason, by: "session" });
      const resolution = await within(ms, decided);
      if (!resolution) this.parts.reportFault(top.sourceToolName, `Discarding "${top.label}" took too long`);
      else if (resolution.result.isError) this.parts.reportFault(top.sourceToolName, resolution.text);
    }
  }

  #find(actionId: string | undefined): PendingAction {
    const action = actionId === undefined ? this.newest : this.pending.find(({ id }) => id === actionId);
    if (!action) throw new UnknownActionError(actionId === undefined ? NOTHING_PENDING_TEXT : notFound(actionId));
    return action;
  }

  /** Checks which parts to apply. If that is impossible, the change stays pending. */
  async #choose(action: PendingAction, named: NamedParts): Promise<PartialDecision> {
    if (!action.changes && !named.hunks && !named.edits) return this.#chooseFiles(action, named.files ?? []);
    const { selectParts } = await import("./select-parts.ts");
    const { selection, decided } = selectParts(action, named);
    const { partsText } = await import("./parts-text.ts");
    const edited = await Promise.all(
      selection.edits.map(async ({ path, content }) => ({
        path,
        proposed: await action.proposedText?.(path).catch(() => undefined),
        final: content,
      })),
    );
    const text = () => partsText(action.label, action.changes ?? [], decided, edited);
    return { selection, decided, text };
  }

  #chooseFiles({ label, applyFiles, paths = [] }: PendingAction, files: readonly string[]): PartialDecision {
    const refuse = (text: string) => new ApplyRefused("invalid_request", `"${label}" ${text}`);
    if (!applyFiles) throw refuse("cannot be applied for some of its files");
    const unknown = files.find((file) => !paths.includes(file));
    if (unknown !== undefined) throw refuse(`has no file ${JSON.stringify(unknown)}`);
    return { selection: { files, hunks: [], edits: [] } };
  }

  #toInfo(action: PendingAction): PendingActionInfo {
    const { id, label, sourceToolName, details, createdAt, applyFiles, applyHunks, changes } = action;
    const deadline = this.#deadlines.get(id);
    const paths = action.paths ?? changes?.map(({ path }) => path);
    return {
      actionId: id,
      label,
      sourceToolName,
      ...(details !== undefined && { details }),
      ...((applyFiles || applyHunks) && paths && { files: [...paths] }),
      ...(changes && { changes: [...changes] }),
      createdAt,
      ...(this.parts.subagent && { subagent: this.parts.subagent }),
      ...(deadline !== undefined && { deadline }),
    };
  }
}
