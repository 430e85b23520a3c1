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
  /** Used when the session's own directory is gone. */
  cwd: string;
  emit(event: AgentSessionEvent): void;
}

/** The conversation that is open now: its storage, its directory, and the messages that a run works on. */
export class OpenConversation {
  readonly log = new MessageLog();
  /** The outputs that the runs of user messages have to give. */
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
    this.#cwd = workingDirectory(parts.manager.header.cwd, parts.cwd).cwd;
    this.log.replace(parts.manager.buildContext().messages);
  }

  get manager(): SessionManager {
    return this.#manager;
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** One step: afterwards the other session is the open one and this one, if it is another, is closed. */
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

  /** The stored context is another one now: a summary stands for a part of it, or another place of the tree is its end. */
  replaceContext(change: ContextChange): void {
    this.#manager.sync();
    this.log.replace(this.#manager.buildContext().messages);
    for (const listener of this.#onReplaced) listener(change);
  }

  onContextReplaced(listener: (change: ContextChange) => void): void {
    this.#onReplaced.add(listener);
  }

  /** A message from outside a run. */
  store(message: AgentMessage): void {
    if (message.role === "custom") this.#manager.appendCustomMessage(message);
    else {
      const outputSchema = this.schemas.of(message);
      this.#manager.appendMessage(message, outputSchema ? { outputSchema } : {});
    }
    this.#parts.emit({ type: "message_appended", message });
  }

  /** For a session that was left meanwhile. One in memory is gone. */
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

  /** A run whose messages cannot be stored must not begin. */
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
