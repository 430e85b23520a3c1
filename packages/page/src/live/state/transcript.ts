import type { AssistantMessage, AssistantUpdateEvent, RpcEvent, RunningTool, SessionEntry } from "@pintle/client/core";
import type { Bodies, Body, Row, RowKind } from "../../page-data.ts";
import { Durations, ImageTable, outOfContext, type Reading, readEntry } from "../../reading/index.ts";
import { GrowingConversation, pathTo } from "../../tree/conversation.ts";

/** A call at work. */
export interface ToolRun extends RunningTool {
  startedAt: number;
}

/** What has changed, for those who show it. */
export interface TranscriptListener {
  /** Another branch, or everything anew. */
  reset?(): void;
  /** Rows were added to the branch that is shown. */
  grown?(): void;
  /** A row looks different: its label, whether the model sees it. */
  changed?(place: number): void;
  /** A call that is shown has its result. */
  answered?(callId: string): void;
  /** The open answer has begun, grown (by `step`, if that is known) or ended. */
  writing?(answer: AssistantMessage | undefined, step: AssistantUpdateEvent | undefined): void;
  /** A call has begun, told more of itself or ended. */
  tool?(callId: string): void;
}

/** The entries of a session as rows, the branch that is shown, the answer that is being written, the calls at work. */
export class Transcript {
  readonly rows: Row[] = [];
  readonly tools = new Map<string, ToolRun>();
  readonly #bodies: Body[] = [];
  readonly #places = new Map<string, number>();
  readonly #reading: Reading = {
    images: new ImageTable("later"),
    durations: new Durations(),
    summaries: new Map(),
  };
  #conversation = new GrowingConversation(this.rows, false);
  #answer: AssistantMessage | undefined;
  #listeners: readonly TranscriptListener[] = [];

  get conversation(): GrowingConversation {
    return this.#conversation;
  }

  /** What the model is writing, so far. */
  get answer(): AssistantMessage | undefined {
    return this.#answer;
  }

  body<K extends RowKind>(place: number, _kind: K): Bodies[K] {
    return this.#bodies[place] as Body as Bodies[K]; // the caller names the kind of the row
  }

  image(place: number): string | undefined {
    return this.#reading.images.images[place];
  }

  find(id: string): number | undefined {
    return this.#places.get(id);
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

  /** What is stored last is where the conversation goes on. */
  add(entries: readonly SessionEntry[], leafId?: string | null): void {
    const before = this.#conversation.items.length;
    const known = this.rows.length;
    for (const entry of entries) if (!this.#places.has(entry.id)) this.#addRow(entry);
    if (this.rows.length === known && leafId === undefined) return;
    const leaf = leafId === undefined ? this.rows.length - 1 : leafId === null ? -1 : (this.find(leafId) ?? -1);
    const answered = this.#follow(leaf);
    if (!answered) {
      this.#tell((listener) => listener.reset?.());
      return;
    }
    if (this.#conversation.items.length > before) this.#tell((listener) => listener.grown?.());
    for (const call of answered) this.#tell((listener) => listener.answered?.(call));
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

  endTool(callId: string): void {
    if (this.tools.delete(callId)) this.#tell((listener) => listener.tool?.(callId));
  }

  endTools(): void {
    for (const callId of [...this.tools.keys()]) this.endTool(callId);
  }

  #addRow(entry: SessionEntry): void {
    const time = Date.parse(entry.timestamp);
    const at = Number.isNaN(time) ? 0 : time;
    const { body, ...page } = readEntry(entry, this.#reading, at);
    const out = entry.excludeFromContext ? "excluded" : page.out;
    this.#places.set(entry.id, this.rows.length);
    this.#bodies.push(body);
    this.rows.push({
      ...page,
      ...{ id: entry.id, at, size: sizeOf(entry) },
      parent: entry.parentId === null ? -1 : (this.find(entry.parentId) ?? -1),
      ...(out && { out }),
    });
    for (const [id, kind] of outOfContext(entry)) this.#change(id, (row) => ({ ...row, out: kind }));
    if (entry.type === "label") this.#label(entry as SessionEntry & { targetId?: unknown; label?: unknown });
  }

  #label({ targetId, label }: { targetId?: unknown; label?: unknown }): void {
    this.#change(String(targetId), ({ label: _old, ...row }) =>
      typeof label === "string" && label !== "" ? { ...row, label } : row,
    );
  }

  #change(id: string, change: (row: Row) => Row): void {
    const place = this.find(id);
    const row = place === undefined ? undefined : this.rows[place];
    if (place === undefined || !row) return;
    this.rows[place] = change(row);
    this.#tell((listener) => listener.changed?.(place));
  }

  /** The calls that have a result now; undefined: the conversation does not go on from where it was. */
  #follow(leaf: number): string[] | undefined {
    const path = pathBehind(this.rows, leaf, this.#conversation.leaf);
    if (path) {
      for (const place of path) this.#conversation.add(place);
      return path.flatMap((place) => (this.#conversation.ownerOf.has(place) ? [this.rows[place]?.call ?? ""] : []));
    }
    this.#conversation = new GrowingConversation(this.rows, false);
    for (const place of pathTo(this.rows, leaf)) this.#conversation.add(place);
    return undefined;
  }

  #tell(tell: (listener: TranscriptListener) => void): void {
    for (const listener of this.#listeners) tell(listener);
  }
}

type Changes = { [T in RpcEvent["type"]]?: (transcript: Transcript, event: Extract<RpcEvent, { type: T }>) => void };

const CHANGES: Changes = {
  session_snapshot(transcript, { entries, leafId, message, tools }) {
    transcript.write(undefined);
    transcript.endTools();
    transcript.add(entries, leafId);
    if (message) transcript.write(message);
    for (const tool of tools) transcript.setTool(tool);
  },
  entry_appended(transcript, { entry }) {
    const place = transcript.rows.length;
    transcript.add([entry]);
    // Its end is told behind the entry: the text would stand there twice in between.
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
  tool_execution_end: (transcript, { toolCallId }) => transcript.endTool(toolCallId),
  agent_settled: (transcript) => transcript.endTools(),
  worker_exited: (transcript) => {
    transcript.write(undefined);
    transcript.endTools();
  },
};

/** The rows from behind `from` to `to`; undefined: the one is not on the way to the other. */
function pathBehind(rows: readonly Row[], to: number, from: number): number[] | undefined {
  const path: number[] = [];
  let place = to;
  for (; place > from; place = (rows[place] as Row).parent) path.push(place);
  return place === from ? path.reverse() : undefined;
}

/** About as many characters as will be shown: a first guess at the height. */
function sizeOf(entry: SessionEntry): number {
  const { message, content, summary } = entry as SessionEntry & Record<"message" | "content" | "summary", unknown>;
  const shown = (message as { content?: unknown } | undefined)?.content ?? content ?? summary ?? "";
  if (typeof shown === "string") return shown.length;
  if (!Array.isArray(shown)) return 100;
  return shown.reduce<number>((sum, block: { text?: unknown }) => {
    return sum + (typeof block?.text === "string" ? block.text.length : 200);
  }, 0);
}
