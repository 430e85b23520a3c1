import { dirname, join } from "node:path";
import type { AgentMessage, CustomMessage } from "@pintle/agent";
import type { ThinkingLevel } from "@pintle/ai";
import { cleanSessionName, type SessionEntry, type SessionTreeNode, type UserMessageText } from "@pintle/wire";
import { MessageViews } from "./context/message-views.ts";
import { pathInjectedRules, pathModel, pathThinkingLevel } from "./context/path-state.ts";
import { marksOf, PRUNE_TYPE, type PruneData, WITHDRAW_TYPE } from "./context/session-context.ts";
import {
  CURRENT_VERSION,
  type EntryFields,
  type EntryOf,
  extensionMark,
  type ModelReference,
  modelFields,
  type SessionHeader,
} from "./entries/entries.ts";
import type { Label } from "./entries/entry-log.ts";
import { createHeader, type SessionEnvironment } from "./file/session-environment.ts";
import { SessionJournal, type SessionParts } from "./file/session-journal.ts";
import { sessionFileName } from "./file/session-paths.ts";
import { SessionError } from "./session-error.ts";
import { copyPath } from "./session-fork.ts";
import { toTree, userMessageTexts, userText } from "./session-tree.ts";

export interface SessionContext {
  messages: readonly AgentMessage[];
  model?: ModelReference;
  thinkingLevel?: ThinkingLevel;
  /** Names of the stream rules that were injected on this path. */
  injectedRules: readonly string[];
}

type SummaryInput<T extends "compaction" | "branch_summary"> = Omit<EntryFields[T], "fromHook">;

/** One conversation, stored or in memory. When an append method returns, the operating system has the entry. */
export class SessionManager {
  readonly #environment: SessionEnvironment;
  readonly #journal: SessionJournal;
  readonly #views = new MessageViews();
  /** The last result, because several callers often ask in a row. */
  #path: { leafId: string | null; count: number; entries: readonly SessionEntry[] } | undefined;
  #context: { leafId: string | null; count: number; value: SessionContext } | undefined;

  constructor(environment: SessionEnvironment, parts: SessionParts) {
    this.#environment = environment;
    this.#journal = new SessionJournal(environment, parts);
  }

  /** Receives every entry after it was written. */
  tellAppends(listener: ((entry: SessionEntry) => void) | undefined): void {
    this.#journal.onAppend = listener ?? (() => {});
  }

  /** Shared by all copies of a conversation, because they begin with the same requests. */
  get cacheKey(): string {
    return this.header.providerPromptCacheKey || this.sessionId;
  }

  /** Changes if another process wrote to the file and the conversation continues in a new one. */
  get sessionId(): string {
    return this.#journal.header.id;
  }

  /**
   * When the first message was stored; of a copy, that of the original. Undefined if there is none yet, or the file
   * does not contain it.
   */
  get startedAt(): number | undefined {
    const first = this.entries().find(({ type }) => type === "message");
    const time = Date.parse(String(first?.timestamp));
    return Number.isNaN(time) ? undefined : time;
  }

  /** Path of the file, which is created with the first message. Undefined if the session is in memory only. */
  get sessionFile(): string | undefined {
    return this.#journal.path;
  }

  /** The session has a path but no file yet. */
  get isUnwritten(): boolean {
    return this.#journal.isUnwritten;
  }

  get header(): Readonly<SessionHeader> {
    return this.#journal.header;
  }

  get isReadOnly(): boolean {
    return this.#journal.isReadOnly;
  }

  get name(): string | undefined {
    return this.#journal.name;
  }

  get leafId(): string | null {
    return this.#journal.leafId;
  }

  get labels(): ReadonlyMap<string, Label> {
    return this.#journal.log.labels;
  }

  /** All entries in file order, as stored, or those after `since`; on every branch. Not a copy. */
  entries(since?: string): readonly SessionEntry[] {
    return since === undefined ? this.#journal.log.all : this.#journal.log.since(since);
  }

  /** Number of entries before that one. */
  position(id: string): number {
    return this.#journal.log.position(id);
  }

  entry(id: string): SessionEntry | undefined {
    return this.#journal.log.find(id);
  }

  /** From the first entry of the conversation to the leaf, or to that entry. */
  path(leafId: string | null = this.leafId): readonly SessionEntry[] {
    const count = this.entries().length;
    if (this.#path?.leafId !== leafId || this.#path.count !== count) {
      this.#path = { leafId, count, entries: this.#journal.log.pathTo(leafId) };
    }
    return this.#path.entries;
  }

  tree(): SessionTreeNode[] {
    return toTree(this.#journal.log);
  }

  userMessages(): UserMessageText[] {
    return userMessageTexts(this.#journal.log.all);
  }

  /** Returns the same object until an entry is appended or the leaf moves, because opening a session asks several times. */
  buildContext(): SessionContext {
    const { leafId } = this;
    const count = this.entries().length;
    if (this.#context?.leafId !== leafId || this.#context.count !== count) {
      this.#context = { leafId, count, value: this.#newContext() };
    }
    return this.#context.value;
  }

  #newContext(): SessionContext {
    const path = this.path();
    const marks = marksOf(path);
    const model = pathModel(path, marks);
    const thinkingLevel = pathThinkingLevel(marks);
    const readBlob = (reference: string) => this.#environment.blobs.read(reference, this.sessionFile);
    return {
      messages: this.#views.context(path, this.#journal.hasBlobs ? readBlob : undefined),
      ...(model && { model }),
      ...(thinkingLevel && { thinkingLevel }),
      injectedRules: pathInjectedRules(marks),
    };
  }

  /** Returns the entry of a message that was appended here or returned by `buildContext`, by identity. */
  entryIdOf(message: AgentMessage): string | undefined {
    return this.#views.entryIdOf(message);
  }

  /** `outputSchema` is stored with a user message, so that its run can be continued. */
  appendMessage(
    message: AgentMessage,
    { outputSchema, ...options }: { excludeFromContext?: boolean; outputSchema?: object } = {},
  ): EntryOf<"message"> {
    const entry = this.#journal.append("message", { message, ...(outputSchema && { outputSchema }) }, options);
    this.#views.remember(message, entry.id);
    return entry;
  }

  appendCustomMessage(message: CustomMessage): EntryOf<"custom_message"> {
    const { role: _, timestamp, ...fields } = message;
    const entry = this.#journal.append("custom_message", fields, { timestamp });
    this.#views.remember(message, entry.id);
    return entry;
  }

  /** Appends data that the model does not see, from an extension or pintle itself. */
  appendCustom(customType: string, data?: unknown): EntryOf<"custom"> {
    return this.#journal.append("custom", { customType, ...(data !== undefined && { data }) });
  }

  /** Removes messages from the conversation but not from the history, because the failed call is repeated. */
  appendWithdrawal(messages: readonly AgentMessage[]): void {
    const ids = messages.flatMap((message) => this.entryIdOf(message) ?? []);
    if (ids.length > 0) this.#journal.append("custom", { customType: WITHDRAW_TYPE, data: { ids } });
  }

  /** Replaces these tool results with a note in the context. */
  appendPrune(data: PruneData): EntryOf<"custom"> {
    return this.appendCustom(PRUNE_TYPE, data);
  }

  /** Without `firstKeptEntryId`, nothing before the summary is kept. */
  appendCompaction({ fromExtension, ...fields }: SummaryInput<"compaction">): EntryOf<"compaction"> {
    const id = this.#journal.newEntryId();
    const complete = { ...fields, firstKeptEntryId: fields.firstKeptEntryId ?? id, ...extensionMark(fromExtension) };
    return this.#journal.append("compaction", complete, { id });
  }

  /** `fromId` is "root" when there was no entry to come from. */
  appendBranchSummary({ fromExtension, ...fields }: SummaryInput<"branch_summary">): EntryOf<"branch_summary"> {
    return this.#journal.append("branch_summary", { ...fields, ...extensionMark(fromExtension) });
  }

  /** Stores what a subagent starts with. */
  appendSessionInit(fields: EntryFields["session_init"]): EntryOf<"session_init"> {
    return this.#journal.append("session_init", fields);
  }

  /** Stores a model change. Only the role `default` is the user's choice. */
  appendModelChange(model: ModelReference, role = "default"): EntryOf<"model_change"> {
    return this.#journal.append("model_change", modelFields(model, role));
  }

  appendThinkingLevelChange(thinkingLevel: ThinkingLevel): EntryOf<"thinking_level_change"> {
    return this.#journal.append("thinking_level_change", { thinkingLevel });
  }

  appendRuleInjection(injectedRules: string[]): EntryOf<"ttsr_injection"> {
    return this.#journal.append("ttsr_injection", { injectedRules });
  }

  /** Stores the usage of a model call outside the conversation. */
  appendModelUsage(fields: EntryFields["model_usage"]): EntryOf<"model_usage"> {
    return this.#journal.append("model_usage", fields);
  }

  /** Works before the file exists, and creates it. */
  setName(name: string): EntryOf<"session_info"> {
    const cleaned = cleanSessionName(name);
    if ("error" in cleaned) throw new SessionError("invalid_request", cleaned.error);
    this.#journal.requireWritable();
    this.#journal.titleHeader(cleaned.name);
    return this.#journal.append("session_info", cleaned, { createFile: true });
  }

  /** Undefined removes the label. */
  setLabel(targetId: string, label: string | undefined): EntryOf<"label"> {
    this.#journal.log.get(targetId);
    return this.#journal.append("label", { targetId, ...(label && { label }) });
  }

  /** The next entry becomes a child of that one. Not stored: on load the leaf is the last entry. */
  moveLeaf(id: string | null): void {
    this.#journal.moveLeaf(id);
  }

  /** Returns the text of a user message, anywhere in the file. Throws for any other entry. */
  branchText(entryId: string): string {
    const entry = this.entry(entryId);
    const text = entry && userText(entry);
    if (text === undefined) throw new SessionError("invalid_request", "Invalid entry ID for branching");
    return text;
  }

  /** Creates a session that ends before that user message. This one stays open; the switch closes it. */
  branchBefore(entryId: string): SessionManager {
    this.branchText(entryId);
    const path = this.path(this.#journal.log.get(entryId).parentId);
    return this.#fork(path, this.#journal.nameBefore(entryId), this.#newFile()); // a later name describes later messages
  }

  /** Creates a session with the whole active path, or with the path to that entry. */
  clone(entryId: string | null = this.leafId): SessionManager {
    if (entryId === null) {
      throw new SessionError("invalid_request", "Cannot clone session: no current entry selected");
    }
    if (!this.entry(entryId)) throw new SessionError("invalid_request", "Invalid entry ID for branching");
    return this.#fork(this.path(entryId), this.#nameAt(entryId), this.#newFile());
  }

  /** Creates a session of a subagent that begins with the path to an entry. It is in memory if `path` is undefined. */
  forkFor(entryId: string | null, path: string | undefined): SessionManager {
    const begun = entryId === null ? [] : this.path(entryId);
    return this.#fork(begun, undefined, path === undefined ? undefined : { path });
  }

  /**
   * Retries writes that failed, and flushes the file to disk if the settings require it. Called before the session changes and at
   * the end. Returns false if a write still fails.
   */
  sync(): boolean {
    return this.#journal.sync();
  }

  /** Does the same in the background, so that the next turn does not wait for the disk. */
  syncSoon(): void {
    this.#journal.syncSoon();
  }

  close(): void {
    this.#journal.close();
  }

  /** Returns the name that the session had right after that entry. */
  #nameAt(entryId: string): string | undefined {
    const [next] = entryId === this.leafId ? [] : this.entries(entryId);
    return next ? this.#journal.nameBefore(next.id) : this.name;
  }

  /** Returns the place of a copy, next to this session's file. */
  #newFile(): { path: string; id: string } | undefined {
    const { sessionFile } = this;
    if (sessionFile === undefined) return undefined;
    const id = this.#environment.ids.session();
    return { id, path: join(dirname(sessionFile), sessionFileName(this.#environment.now(), id)) };
  }

  #fork(
    path: readonly SessionEntry[],
    name: string | undefined,
    file: { path: string; id?: string } | undefined,
  ): SessionManager {
    if ((this.header.version ?? CURRENT_VERSION) > CURRENT_VERSION) this.#journal.requireWritable();
    const { sessionFile } = this;
    const header = createHeader(this.#environment, {
      ...(file?.id !== undefined && { id: file.id }),
      cwd: this.header.cwd,
      ...(sessionFile !== undefined && { parentSession: sessionFile }),
      ...(name !== undefined && path.length === 0 && { title: name }),
      cacheKey: this.cacheKey,
    });
    const copy = new SessionManager(this.#environment, {
      header,
      entries: copyPath(this.#environment, this.#journal, path, name),
      ...(file && { file: { path: file.path } }),
    });
    copy.#journal.storeHistory();
    return copy;
  }
}
