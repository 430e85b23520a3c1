import type { AgentEvent, Clock, CustomMessage } from "@pintle/agent";
import { isRecord, textsOf } from "@pintle/ai";
import { isEntry, type SessionManager } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import type { SessionUndo } from "../undo/session-undo.ts";
import type { PromptAddition, RestoreCause, RunPolicy } from "./policy.ts";

export interface UndoPolicyParts {
  undo: SessionUndo;
  manager(): SessionManager;
  clock: Clock;
}

const CUSTOM_TYPE = "files-rewound";
const REWIND_TYPE = "file-rewind";
const MAX_NAMES = 100;

/**
 * Tells undo to which run changes of tool calls belong, and tells the model which files were rewound since its last call.
 */
export class UndoPolicy implements RunPolicy {
  readonly name = "undo";
  readonly #parts: UndoPolicyParts;
  #hasPrompt = false;
  #news: readonly string[] = [];

  constructor(parts: UndoPolicyParts) {
    this.#parts = parts;
  }

  async prepare(): Promise<void> {
    await this.#parts.undo.review();
  }

  async beforeRun(): Promise<void> {
    this.#hasPrompt = false;
    const rewinds = newRewinds(this.#parts.manager().entries());
    this.#news = rewinds.length === 0 ? [] : await this.#parts.undo.pathsOf(rewinds);
  }

  onPrompt(): PromptAddition {
    return this.#news.length === 0 ? {} : { before: [this.#note(this.#news)] };
  }

  before(event: AgentEvent): void {
    if (event.type === "turn_end") this.#parts.undo.flush();
  }

  after(event: AgentEvent): void {
    const { undo, manager } = this.#parts;
    if (event.type === "turn_start") undo.startTurn();
    else if (event.type === "tool_execution_end") undo.flush();
    else if (event.type === "message_end" && event.message.role === "user" && !this.#hasPrompt) {
      this.#hasPrompt = true;
      undo.startRun(manager().entryIdOf(event.message) ?? "", textsOf(event.message.content).join("\n"));
    } else if (event.type === "agent_start") undo.startRun("", "");
  }

  restore(cause: RestoreCause): void {
    if (cause !== "moved") this.#parts.undo.leave();
  }

  async close(): Promise<void> {
    await this.#parts.undo.prune();
    this.#parts.undo.leave();
  }

  #note(paths: readonly string[]): CustomMessage {
    const listed = paths.slice(0, MAX_NAMES).join("\n");
    const rest = paths.length > MAX_NAMES ? `\n… and ${paths.length - MAX_NAMES} more` : "";
    return {
      role: "custom",
      customType: CUSTOM_TYPE,
      content: `The user has rewound these files since your last answer. What you read of them before is out of date; read them again before you rely on it.\n${listed}${rest}`,
      display: false,
      details: { paths: paths.slice(0, MAX_NAMES), count: paths.length },
      attribution: "agent",
      timestamp: this.#parts.clock.now(),
    };
  }
}

/** Returns the ids of rewinds that the model has not been informed of. */
function newRewinds(entries: readonly SessionEntry[]): string[] {
  const ids: string[] = [];
  for (const entry of entries.toReversed()) {
    if (isEntry(entry, "custom_message") && entry.customType === CUSTOM_TYPE) break;
    if (!isEntry(entry, "custom") || entry.customType !== REWIND_TYPE) continue;
    if (isRecord(entry.data)) ids.push(String(entry.data.rewindId));
  }
  return ids;
}
