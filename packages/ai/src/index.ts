export type { ProviderPackage } from "./bridge/language-model.ts";
export { isInputBlock, textsOf } from "./content.ts";
export { isContextOverflowText } from "./context-overflow.ts";
export { ABORTED_TEXT, ProviderError, type ProviderErrorKind, type ProviderFailure } from "./errors.ts";
export type { ForeignStream } from "./foreign/foreign-stream.ts";
export { onAbort, unlessAborted, untilAborted } from "./foundation/abort.ts";
export { cutText } from "./foundation/cut-text.ts";
export { definedIn } from "./foundation/defined-in.ts";
export { delay, LONGEST_TIMER_MS } from "./foundation/delay.ts";
export { errorText } from "./foundation/error-text.ts";
export { isRecord } from "./foundation/is-record.ts";
export { networkCause } from "./foundation/network-cause.ts";
export { SerialWork } from "./foundation/serial-work.ts";
export { withoutTurning } from "./foundation/without-turning.ts";
export { completeContent } from "./message-builder.ts";
export type * from "./messages.ts";
export type { Compat, Model } from "./model.ts";
export { type CatalogueEntry, catalogueOf } from "./models/catalogue.ts";
export { hasKnownPrice, UNDESCRIBED } from "./models/undescribed.ts";
export { isTooDeep, MAX_ENTRY_NESTING, MAX_NESTING, TOO_DEEP_TEXT } from "./nesting.ts";
export { offlineModel } from "./offline/offline-info.ts";
export { supportsOutputFormat, takesForcedTool } from "./output-support.ts";
export { isPassing, isWorthRetrying } from "./passing-failures.ts";
export type {
  CacheRetention,
  ModelContext,
  OutputFormat,
  RequestOptions,
  ToolChoice,
  ToolDefinition,
} from "./protocols/protocol.ts";
export { PROVIDER_APIS, type ProviderApi } from "./providers/apis.ts";
export { findKnownProvider, type KnownProvider, knownProviders } from "./providers/known-providers.ts";
export { maxToolsOf } from "./providers/tool-limits.ts";
export { RequestMemory } from "./request-memory.ts";
export type { RequestObserver, RequestPrefix } from "./request-prefix.ts";
export { type StreamModel, type StreamOptions, streamModel } from "./stream.ts";
export { AssistantEventStream, type AssistantMessageEvent, type AssistantUpdateEvent } from "./stream-events.ts";
export {
  clampThinkingLevel,
  REPORTED_THINKING_LEVELS,
  supportedThinkingLevels,
  THINKING_LEVELS,
  THINKING_WORDS,
  type ThinkingLevel,
  type ThinkingWord,
} from "./thinking.ts";
export { estimateMessageTokens, estimateTextTokens } from "./token-estimate.ts";
export { isCachedPerToolChoice } from "./tool-choice-cache.ts";
export type { Fetch } from "./transport/http.ts";
export { addUsage, contextTokens, isMeasure, promptTokens, toUsage, zeroUsage } from "./usage.ts";
