export { isContextOverflowText } from "./context-overflow.ts";
export { ABORTED_TEXT, ProviderError, type ProviderErrorKind, type ProviderFailure } from "./errors.ts";
export { completeContent } from "./message-builder.ts";
export * from "./messages.ts";
export {
  type Compat,
  clampThinkingLevel,
  type Model,
  ModelSchema,
  supportedThinkingLevels,
  THINKING_LEVELS,
  type ThinkingLevel,
  ThinkingLevelSchema,
  toUsage,
} from "./model.ts";
export { type CatalogueEntry, catalogue } from "./models/catalogue.ts";
export { offlineModel } from "./offline/offline-info.ts";
export type { CacheRetention, ModelContext, RequestOptions, ToolChoice, ToolDefinition } from "./protocols/protocol.ts";
export { CALLABLE_APIS, PROVIDER_APIS, type ProviderApi } from "./providers/apis.ts";
export { findKnownProvider, type KnownProvider, knownProviders } from "./providers/known-providers.ts";
export { redactSecrets } from "./redact.ts";
export { type StreamModel, type StreamOptions, streamModel } from "./stream.ts";
export { AssistantEventStream, type AssistantMessageEvent, type AssistantUpdateEvent } from "./stream-events.ts";
export { estimateMessageTokens, estimateTextTokens } from "./token-estimate.ts";
export type { Fetch } from "./transport/http.ts";
