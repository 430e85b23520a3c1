import type { AgentMessage } from "@pintle/agent";
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Model,
  ModelContext,
  StreamOptions,
  ThinkingLevel,
} from "@pintle/ai";
import type { AnyEntry, SessionHeader } from "@pintle/storage";
import type { SessionTreeNode } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { ExtensionUi } from "../ui/ui.ts";

/** The open conversation, for reading. */
export interface ReadonlySessionManager {
  getEntries(): readonly AnyEntry[];
  /** Returns the entries from the first one to the leaf or the given entry. */
  getBranch(fromId?: string): readonly AnyEntry[];
  getLeafId(): string | null;
  getLeafEntry(): AnyEntry | undefined;
  getEntry(id: string): AnyEntry | undefined;
  getChildren(parentId: string): readonly AnyEntry[];
  getLabel(id: string): string | undefined;
  getHeader(): Readonly<SessionHeader> | null;
  getSessionFile(): string | undefined;
  getSessionDir(): string;
  getTree(): SessionTreeNode[];
  /** Returns the entries whose messages the model receives. */
  buildContextEntries(): readonly AnyEntry[];
  buildSessionProjection(): never;
  getSessionId(): string;
  getSessionName(): string | undefined;
  getCwd(): string;
}

/** A conversation that is not announced yet, so it can also be written. Append methods return the id of the new entry. */
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

/** An undefined key or undefined headers are treated as absent, because authors pass on what `getApiKeyAndHeaders` returns. */
export type CallOptions = Omit<StreamOptions, "apiKey" | "headers"> & {
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  reasoning?: ThinkingLevel;
};

type ModelAnswer = AsyncIterable<AssistantMessageEvent> & { result(): Promise<AssistantMessage> };
type AskModel<A> = (model: Model, context: ModelContext, options?: CallOptions & { reasoningEffort?: unknown }) => A;

/** The available models, and how to call them. */
export interface ModelRegistryView {
  find(provider: string, id: string): Model | undefined;
  getAll(): readonly Model[];
  getAvailable(): readonly Model[];
  /** All models have the type `chat`: pintle has no classifiers or image models. */
  findOfType(type: string, provider: string, id: string): Model | undefined;
  getModelOfType(type: string, provider: string, id: string): Model | undefined;
  getModelsOfType(type: string, provider?: string): readonly Model[];
  getAvailableOfType(type: string, provider?: string): Promise<readonly Model[]>;
  getApiKey(model: Model): Promise<string | undefined>;
  getApiKeyAndHeaders(
    model: Model,
  ): Promise<{ ok: boolean; apiKey?: string; headers?: Record<string, string>; error?: string }>;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  hasConfiguredAuth(model: Model): boolean;
  getProviderAuthStatus(provider: string): { configured: boolean };
  getProviderDisplayName(provider: string): string;
  isUsingOAuth(model: Model): boolean;
  refresh(): Promise<void>;
  getError(): string | undefined;
  /** Calls a model outside the conversation, with the session's credentials. A failure is in the answer's `stopReason`. */
  stream: AskModel<ModelAnswer>;
  streamSimple: AskModel<ModelAnswer>;
  complete: AskModel<Promise<AssistantMessage>>;
  completeSimple: AskModel<Promise<AssistantMessage>>;
  classify(): never;
  generateImages(): never;
  getProvider(): never;
  getProviderAuth(): never;
  /** Available on `pi` instead. */
  registerProvider(): never;
  unregisterProvider(): never;
  registerVirtualModel(): never;
  unregisterVirtualModel(): never;
  getRegisteredProviderConfig(): never;
  getRegisteredNativeProvider(): never;
  getRegisteredProviderIds(): never;
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
