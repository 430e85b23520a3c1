import type { AgentMessage, AssistantMessage, RpcEvent, RunningTool, SessionEntry } from "../protocol.ts";
import type { RpcCore } from "./rpc-core.ts";
import { isMessageEntry, pathTo } from "./session-path.ts";

const ALL_AND_ENTRIES = { events: ["*", "entry_appended"] };

/**
 * A session as a host shows it: what is stored, the answer that is being written, the tools at work. It follows the events, and
 * the snapshot after a time away, so all hosts of a session have the same. For one session: after a change make another one.
 */
export class Conversation {
  readonly #entries = new Map<string, SessionEntry>();
  #leafId: string | null = null;
  #answer: AssistantMessage | undefined;
  readonly #tools = new Map<string, RunningTool>();
  #listeners: readonly (() => void)[] = [];
  #stop: () => void = () => {};

  /** Reads what is stored and listens from then on. Has the session tell of every entry, in place of another event filter. */
  static async follow(session: RpcCore): Promise<Conversation> {
    const conversation = new Conversation();
    conversation.#stop = session.onEvent((event) => conversation.apply(event));
    try {
      await session.setEventFilter(ALL_AND_ENTRIES);
      const { entries, leafId } = await session.getEntries();
      conversation.#add(entries);
      if (entries.length === conversation.#entries.size) conversation.#leafId = leafId; // else a newer one was told meanwhile
      conversation.#tell();
      return conversation;
    } catch (error) {
      conversation.stop();
      throw error;
    }
  }

  /** From the first entry to the one where the conversation goes on. */
  get entries(): SessionEntry[] {
    return pathTo(this.#entries, this.#leafId);
  }

  /** Those of the entries that are finished messages. */
  get messages(): AgentMessage[] {
    return this.entries.filter(isMessageEntry).map(({ message }) => message);
  }

  /** What the model is writing, so far. */
  get answer(): AssistantMessage | undefined {
    return this.#answer;
  }

  /** Calls at work, the oldest first. */
  get tools(): RunningTool[] {
    return [...this.#tools.values()];
  }

  /** Gives a function that ends it. */
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

  /** False: nothing has changed. */
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

  /** What is stored last is where the conversation goes on. */
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
