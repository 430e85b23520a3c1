import type { AgentMessage } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";
import type { Settings } from "../../config/settings/settings.ts";
import type { AnyEntry, SessionHeader } from "../../storage/entries/entries.ts";
import type { ExtensionUi } from "../ui/ui.ts";

/** The open conversation, for reading. */
export interface ReadonlySessionManager {
  getEntries(): readonly AnyEntry[];
  /** From the first entry to the leaf, or to that entry. */
  getBranch(fromId?: string): readonly AnyEntry[];
  getLeafId(): string | null;
  getLeafEntry(): AnyEntry | undefined;
  getEntry(id: string): AnyEntry | undefined;
  getChildren(parentId: string): readonly AnyEntry[];
  getLabel(id: string): string | undefined;
  getHeader(): Readonly<SessionHeader> | null;
  getSessionFile(): string | undefined;
  getSessionId(): string;
  getSessionName(): string | undefined;
  getCwd(): string;
}

/** A conversation that is not announced yet: it can be written too. What appends gives the id of the new entry. */
export interface SetupSessionManager extends ReadonlySessionManager {
  appendMessage(message: AgentMessage): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean, details?: unknown): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  appendModelChange(provider: string, modelId: string): string;
  appendThinkingLevelChange(level: ThinkingLevel): string;
}

export type SessionSetup = (manager: SetupSessionManager) => Promise<void> | void;

/** Which models there are, and how to call one. */
export interface ModelRegistryView {
  find(provider: string, id: string): Model | undefined;
  getAll(): readonly Model[];
  getAvailable(): readonly Model[];
  getApiKey(model: Model): Promise<string | undefined>;
  getApiKeyAndHeaders(
    model: Model,
  ): Promise<{ ok: boolean; apiKey?: string; headers?: Record<string, string>; error?: string }>;
  hasConfiguredAuth(model: Model): boolean;
}

/** `ctx`: the session as a custom tool sees it while it is called. */
export interface CustomToolContext {
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryView;
  readonly model: Model | undefined;
  readonly settings?: Pick<Settings, "get">;
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: ExtensionUi;
  isIdle(): boolean;
  hasQueuedMessages(): boolean;
  abort(): void;
}
