import type { AssistantMessage, AssistantUpdateEvent, RpcEvent, RunningTool, SessionEntry } from "@pintle/client/core";
import type { Bodies, Body, Row, RowKind } from "../../page-data.ts";
import { GrowingConversation, pathTo } from "../../tree/conversation.ts";
import { SessionRows } from "./session-rows.ts";

/** A running call. */
export interface ToolRun extends RunningTool {
  startedAt: number;
}

/** Notifications for the views. */
export interface TranscriptListener {
  /** Called after a switch of branches or a full reload. */
  reset?(): void;
  /** Rows were added to the current branch. */
  grown?(): void;
  /** Earlier entries were loaded: this many more precede the visible ones. */
  earlier?(items: number): void;
  /** The appearance of a row has changed: its label, or whether the model sees it. */
  changed?(place: number): void;
  /** A visible call has its result. */
  answered?(callId: string): void;
  /** The open answer has begun, grown (by `step`, if that is known) or ended. */
  writing?(answer: AssistantMessage | undefined, step: AssistantUpdateEvent | undefined): void;
  /** A call has started, reported progress or ended. */
  tool?(callId: string): void;
}

/**
 * The entries of a session as rows, with the current branch, the answer that is being streamed, and the running calls.
 */
export class Transcript {
  readonly tools = new Map<string, ToolRun>();
  readonly #known = new SessionRows((place) => this.#tell((listener) => listener.changed?.(place)));
  /** Where the conversation continues. */
  #leafId: string | null = null;
  #conversation = new GrowingConversation(this.rows, { showsData: false });
  #answer: AssistantMessage | undefined;
  #listeners: readonly TranscriptListener[] = [];

  /** By their index in the session; those before `first` are not loaded yet. */
  get rows(): readonly Row[] {
    return this.#known.rows;
  }

  /** Number of entries that are not loaded yet. */
  get first(): number {
    return this.#known.first;
  }

  get conversation(): GrowingConversation {
    return this.#conversation;
  }

  /** The answer that the model is writing. */
  get answer(): AssistantMessage | undefined {
    return this.#answer;
  }

  body<K extends RowKind>(place: number, _kind: K): Bodies[K] {
    return this.#known.bodies[place] as Body as Bodies[K]; // the caller names the kind of the row
  }

  image(place: number): string | undefined {
    return this.#known.images[place];
  }

  find(id: string): number | undefined {
    return this.#known.find(id);
  }

  listen(listener: TranscriptListener, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#listeners = [...this.#listeners, listener];
    signal.addEventListener("abort", () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    });
  }

  apply(event: RpcEvent): void {
    const change = CHANGES[event.type] as ((transcript: Transcript, event: RpcEvent) => void) | undefined;
    change?.(this, event);
  }

  /**
   * Loads entries; the conversation continues after the last one. `first` means that the entries end the session and
   * this many precede them.
   */
  add(entries: readonly SessionEntry[], leafId?: string | null, first?: number): void {
    const before = this.#conversation.items.length;
    const isAnew = first !== undefined && !this.#known.begin(first, entries);
    const known = this.rows.length;
    for (const entry of entries) this.#known.append(entry);
    if (this.rows.length === known && leafId === undefined) return;
    this.#leafId = leafId === undefined ? (this.rows.at(-1)?.id ?? null) : leafId;
    const answered = isAnew ? undefined : this.#follow();
    if (!answered) {
      this.#conversation = this.#read();
      this.#tell((listener) => listener.reset?.());
      return;
    }
    if (this.#conversation.items.length > before) this.#tell((listener) => listener.grown?.());
    for (const call of answered) this.#tell((listener) => listener.answered?.(call));
  }

  /**
   * Adds entries from before the loaded ones; `first` entries of the session precede them. Returns false if they do not
   * match.
   */
  addEarlier(first: number, entries: readonly SessionEntry[]): boolean {
    if (!this.#known.prepend(first, entries)) return false;
    const { items } = this.#conversation;
    this.#conversation = this.#read();
    const count = this.#conversation.items.length - items.length;
    const isSame = count >= 0 && items.every((place, at) => this.#conversation.items[at + count] === place);
    this.#tell((listener) => (isSame ? listener.earlier?.(count) : listener.reset?.()));
    return true;
  }

  moveTo(leafId: string | null): void {
    this.add([], leafId);
  }

  write(answer: AssistantMessage | undefined, step?: AssistantUpdateEvent): void {
    if (answer === this.#answer) return;
    this.#answer = answer;
    this.#tell((listener) => listener.writing?.(answer, step));
  }

  setTool(tool: RunningTool): void {
    const startedAt = this.tools.get(tool.toolCallId)?.startedAt ?? Date.now();
    this.tools.set(tool.toolCallId, { ...this.tools.get(tool.toolCallId), ...tool, startedAt });
    this.#tell((listener) => listener.tool?.(tool.toolCallId));
  }

  /** A call starts with its approval, so the user's time is not included. */
  restartClock(callId: string): void {
    const tool = this.tools.get(callId);
    if (tool) this.tools.set(callId, { ...tool, startedAt: Date.now() });
  }

  endTool(callId: string): void {
    if (this.tools.delete(callId)) this.#tell((listener) => listener.tool?.(callId));
  }

  endTools(): void {
    for (const callId of [...this.tools.keys()]) this.endTool(callId);
  }

  #leaf(): number {
    return this.#leafId === null ? -1 : (this.find(this.#leafId) ?? -1);
  }

  /** Returns the calls that have a result now, or undefined if the conversation does not continue from where it was. */
  #follow(): string[] | undefined {
    const path = pathBehind(this.rows, this.#leaf(), this.#conversation.leaf);
    if (!path) return undefined;
    for (const place of path) this.#conversation.add(place);
    return path.flatMap((place) => (this.#conversation.ownerOf.has(place) ? [this.rows[place]?.call ?? ""] : []));
  }

  #read(): GrowingConversation {
    const path = pathTo(this.rows, this.#leaf());
    const [begin] = path;
    const isPartial = begin === undefined ? this.#leafId !== null && this.first > 0 : this.#known.isLoose(begin);
    const conversation = new GrowingConversation(this.rows, { showsData: false, isPartial });
    for (const place of path) conversation.add(place);
    return conversation;
  }

  #tell(tell: (listener: TranscriptListener) => void): void {
    for (const listener of this.#listeners) tell(listener);
  }
}

type Changes = { [T in RpcEvent["type"]]?: (transcript: Transcript, event: Extract<RpcEvent, { type: T }>) => void };

const CHANGES: Changes = {
  session_snapshot(transcript, { entries, leafId, first, message, tools }) {
    transcript.write(undefined);
    transcript.endTools();
    transcript.add(entries, leafId, first);
    if (message) transcript.write(message);
    for (const tool of tools) transcript.setTool(tool);
  },
  entry_appended(transcript, { entry }) {
    const place = transcript.rows.length;
    transcript.add([entry]);
    // Its end is reported after the entry; in between, the text would appear twice.
    if (transcript.rows[place]?.kind === "assistant") transcript.write(undefined);
  },
  leaf_moved: (transcript, { leafId }) => transcript.moveTo(leafId),
  message_start: (transcript, { message }) => {
    if (message.role === "assistant") transcript.write(message);
  },
  message_update: (transcript, { message, assistantMessageEvent }) => transcript.write(message, assistantMessageEvent),
  message_end: (transcript, { message }) => {
    if (message.role === "assistant") transcript.write(undefined);
  },
  tool_execution_start: (transcript, { type: _type, ...tool }) => transcript.setTool(tool),
  tool_execution_update: (transcript, { type: _type, ...tool }) => transcript.setTool(tool),
  approval_resolved: (transcript, { toolCallId }) => transcript.restartClock(toolCallId),
  tool_execution_end: (transcript, { toolCallId }) => transcript.endTool(toolCallId),
  agent_settled: (transcript) => transcript.endTools(),
  worker_exited: (transcript) => {
    transcript.write(undefined);
    transcript.endTools();
  },
};

/** Returns the rows after `from` up to `to`, or undefined if one is not an ancestor of the other. */
function pathBehind(rows: readonly Row[], to: number, from: number): number[] | undefined {
  const path: number[] = [];
  let place = to;
  for (; place > from; place = (rows[place] as Row).parent) path.push(place);
  return place === from ? path.reverse() : undefined;
}
