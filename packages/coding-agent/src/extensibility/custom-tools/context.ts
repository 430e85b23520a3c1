import type { Model } from "@pintle/ai";
import type { Settings } from "../../config/settings/settings.ts";
import type { AnyEntry, SessionHeader } from "../../storage/entries/entries.ts";
import type { ExtensionUi } from "../ui.ts";

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
