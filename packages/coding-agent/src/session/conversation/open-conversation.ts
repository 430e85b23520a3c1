import { type AgentMessage, MessageLog } from "@pintle/agent";
import { errorText } from "@pintle/ai";
import {
  CURRENT_VERSION,
  type SessionContext,
  SessionError,
  type SessionManager,
  type SessionStore,
} from "@pintle/storage";
import type { AgentSessionEvent, SessionEntry } from "@pintle/wire";
import type { ContextChange } from "../../compaction/compaction-types.ts";
import { OutputSchemas } from "../output/output-schemas.ts";
import { workingDirectory } from "./working-directory.ts";

export interface OpenConversationParts {
  store: SessionStore;
  manager: SessionManager;
  /** Used if the session's own directory no longer exists. */
  cwd: string;
  /** Works in `cwd`, whatever the session's own directory is. */
  isFixed?: boolean;
  emit(event: AgentSessionEvent): void;
}

/** The open conversation: its storage, its directory, and the messages that a run works on. */
export class OpenConversation {
  readonly log = new MessageLog();
  /** The output schemas of user messages. */
  readonly schemas = new OutputSchemas();
  readonly #parts: OpenConversationParts;
  readonly #onReplaced = new Set<(change: ContextChange) => void>();
  readonly #emitAppend = (entry: SessionEntry) => this.#parts.emit({ type: "entry_appended", entry });
  #manager: SessionManager;
  #cwd: string;

  constructor(parts: OpenConversationParts) {
    this.#parts = parts;
    this.#manager = parts.manager;
    this.#manager.tellAppends(this.#emitAppend);
    this.#cwd = parts.isFixed ? parts.cwd : workingDirectory(parts.manager.header.cwd, parts.cwd).cwd;
    this.log.replace(parts.manager.buildContext().messages);
  }

  get manager(): SessionManager {
    return this.#manager;
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** Opens the next session and closes this one, unless both are the same, in one synchronous step. */
  adopt(next: SessionManager): SessionContext {
    const previous = this.#manager;
    this.#manager = next;
    previous.sync();
    if (previous !== next) {
      previous.close();
      next.tellAppends(this.#emitAppend);
    }
    const { cwd, problem } = workingDirectory(next.header.cwd, this.#cwd);
    this.#cwd = cwd;
    const context = next.buildContext();
    this.log.replace(context.messages);
    if (problem !== undefined) this.#warn(problem);
    return context;
  }

  /**
   * Replaces the messages after the stored context has changed: by a summary, or by a move to another entry of the
   * tree.
   */
  replaceContext(change: ContextChange): void {
    this.#manager.sync();
    this.log.replace(this.#manager.buildContext().messages);
    for (const listener of this.#onReplaced) listener(change);
  }

  onContextReplaced(listener: (change: ContextChange) => void): void {
    this.#onReplaced.add(listener);
  }

  /** Stores a message from outside a run. */
  store(message: AgentMessage): void {
    if (message.role === "custom") this.#manager.appendCustomMessage(message);
    else {
      const outputSchema = this.schemas.of(message);
      this.#manager.appendMessage(message, outputSchema ? { outputSchema } : {});
    }
    this.#parts.emit({ type: "message_appended", message });
  }

  /** Stores a message in a session that was left meanwhile. Does nothing if that session was only in memory. */
  async appendTo(left: SessionManager, message: AgentMessage): Promise<void> {
    if (left.sessionFile === undefined) return;
    try {
      const reopened = await this.#parts.store.open(left.sessionFile);
      reopened.appendMessage(message);
      reopened.close();
    } catch (error) {
      const reason = errorText(error);
      this.#warn(`A message could not be stored in the session it belongs to: ${reason}`);
    }
  }

  /** Throws if messages cannot be stored, because a run must not begin then. */
  requireWritable(): void {
    const { isReadOnly, header, sessionFile, sessionId } = this.#manager;
    if (!isReadOnly) return;
    const reason =
      (header.version ?? 0) > CURRENT_VERSION ? `has version ${header.version} and can only be read` : "is closed";
    throw new SessionError("invalid_request", `Session ${sessionFile ?? sessionId} ${reason}`);
  }

  rename(name: string): void {
    this.#manager.setName(name);
    this.announce();
  }

  announce(): void {
    const { sessionId, sessionFile, name } = this.#manager;
    this.#parts.emit({
      type: "session_info_changed",
      ...(name !== undefined && { name }),
      sessionId,
      ...(sessionFile !== undefined && { sessionFile }),
    });
  }

  #warn(message: string): void {
    this.#parts.emit({ type: "notice", level: "warning", message, source: "session" });
  }
}
