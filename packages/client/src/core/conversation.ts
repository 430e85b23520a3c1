import type { AgentMessage, AssistantMessage, RpcEvent, RunningTool, SessionEntry } from "../protocol.ts";
import type { RpcCore } from "./rpc-core.ts";
import { isMessageEntry, pathTo } from "./session-path.ts";

const ALL_AND_ENTRIES = { events: ["*", "entry_appended"] };

/**
 * Mirrors a session for display: stored entries, the answer being streamed, and running tools. It applies events, and the
 * snapshot that follows a reconnect, so every host of a session shows the same state. One instance follows one session; create
 * another after switching sessions.
 */
export class Conversation {
  readonly #entries = new Map<string, SessionEntry>();
  #leafId: string | null = null;
  #answer: AssistantMessage | undefined;
  readonly #tools = new Map<string, RunningTool>();
  #listeners: readonly (() => void)[] = [];
  #stop: () => void = () => {};

  /**
   * Loads the stored entries and follows the session from then on. Subscribes to every entry of the session, replacing any
   * earlier event filter.
   */
  static async follow(session: RpcCore): Promise<Conversation> {
    const conversation = new Conversation();
    conversation.#stop = session.onEvent((event) => conversation.apply(event));
    try {
      await session.setEventFilter(ALL_AND_ENTRIES);
      const { entries, leafId } = await session.getEntries();
      conversation.#add(entries);
      if (entries.length === conversation.#entries.size) conversation.#leafId = leafId; // otherwise a newer entry has arrived
      conversation.#tell();
      return conversation;
    } catch (error) {
      conversation.stop();
      throw error;
    }
  }

  /** The entries from the first to the current leaf. */
  get entries(): SessionEntry[] {
    return pathTo(this.#entries, this.#leafId);
  }

  /** The finished messages among the entries. */
  get messages(): AgentMessage[] {
    return this.entries.filter(isMessageEntry).map(({ message }) => message);
  }

  /** The answer that the model is writing, as far as it has arrived. */
  get answer(): AssistantMessage | undefined {
    return this.#answer;
  }

  /** Running tool calls, oldest first. */
  get tools(): RunningTool[] {
    return [...this.#tools.values()];
  }

  /** Calls the listener after every change. Returns a function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  stop(): void {
    this.#stop();
  }

  apply(event: RpcEvent): void {
    if (this.#change(event)) this.#tell();
  }

  /** Returns false if the event changes nothing. */
  #change(event: RpcEvent): boolean {
    switch (event.type) {
      case "entry_appended":
        this.#add([event.entry]);
        return true;
      case "leaf_moved":
        this.#leafId = event.leafId;
        return true;
      case "message_start":
      case "message_update":
        if (event.message.role !== "assistant") return false;
        this.#answer = event.message;
        return true;
      case "message_end":
      case "worker_exited":
        this.#answer = undefined;
        if (event.type === "worker_exited") this.#tools.clear();
        return true;
      case "tool_execution_start":
      case "tool_execution_update": {
        const { type: _type, ...call } = event;
        this.#tools.set(call.toolCallId, { ...this.#tools.get(call.toolCallId), ...call });
        return true;
      }
      case "tool_execution_end":
        return this.#tools.delete(event.toolCallId);
      case "session_snapshot":
        this.#add(event.entries);
        this.#leafId = event.leafId;
        this.#answer = event.message;
        this.#tools.clear();
        for (const tool of event.tools) this.#tools.set(tool.toolCallId, tool);
        return true;
      default:
        return false;
    }
  }

  /** Adds entries that are not known yet; the last one becomes the leaf. */
  #add(entries: readonly SessionEntry[]): void {
    for (const entry of entries) {
      if (this.#entries.has(entry.id)) continue;
      this.#entries.set(entry.id, entry);
      this.#leafId = entry.id;
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
