import type { AgentMessage, CustomMessage } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";

export const CURRENT_VERSION = 3;

/** The first record of a file. Fields that are not named here are kept as they are. */
export interface SessionHeader {
  type: "session";
  /** Absent in the oldest files. */
  version?: number;
  id: string;
  timestamp: string;
  cwd: string;
  /** Origin of the conversation: a path, or a value from the host. */
  parentSession?: string;
  title?: string;
  titleSource?: string;
  /**
   * omp's name for the key that groups requests in a provider's cache. A copy keeps the key of the conversation with which it
   * begins.
   */
  providerPromptCacheKey?: string;
}

/** The fields of each kind of entry. Other kinds are kept and otherwise ignored. */
export interface EntryFields {
  /** `outputSchema` is the schema for the output of a user message's run. */
  message: { message: AgentMessage; outputSchema?: unknown };
  custom_message: Pick<CustomMessage, "customType" | "content" | "display" | "details" | "attribution">;
  custom: { customType: string; data?: unknown };
  compaction: {
    summary: string;
    firstKeptEntryId?: string;
    tokensBefore: number;
    shortSummary?: string;
    details?: unknown;
    preserveData?: Record<string, unknown>;
    /** pi's name and the usual one for the same thing; `isFromExtension` reads either. */
    fromHook?: boolean;
    fromExtension?: boolean;
    /** Written by omp. */
    method?: string;
  };
  branch_summary: {
    /** "root" if there was no previous entry. */
    fromId: string;
    summary: string;
    details?: unknown;
    fromHook?: boolean;
    fromExtension?: boolean;
  };
  /** pi knows `provider` and `modelId`, the others `model` and `role`; `modelOf` reads either. */
  model_change: { provider?: string; modelId?: string; model?: string; role?: string };
  thinking_level_change: { thinkingLevel: string | null };
  label: { targetId: string; label?: string };
  session_info: { name?: string };
  title_change: { title: string; previousTitle?: string; source?: string; trigger?: string };
  ttsr_injection: { injectedRules: string[] };
  mode_change: { mode: string; data?: unknown };
  service_tier_change: { serviceTier: unknown };
  session_init: { systemPrompt: string; task: string; tools: string[]; outputSchema?: unknown };
  reset_boundary: Record<never, never>;
  /** Written by pi: replaces the content of the target for the model. Without content, the model does not see the target. */
  context_edit: { targetId: string; replacement?: unknown };
  /** pi's name for `model_usage`. */
  usage: { kind?: string; provider: string; model: string; usage: unknown; note?: string };
  model_usage: { purpose?: string; provider: string; model: string; usage: unknown; stopReason?: string };
}
export type EntryType = keyof EntryFields;
export type EntryOf<T extends EntryType> = SessionEntry & { type: T } & EntryFields[T];
/** An entry of any kind, for readers that branch on `type`. They ignore kinds that are not listed above. */
export type AnyEntry = { [T in EntryType]: EntryOf<T> }[EntryType];

/** The shape that an entry of each kind must have. */
const checks: { [T in EntryType]: (entry: Record<string, unknown>) => boolean } = {
  message: ({ message }) => isRecord(message) && typeof message.role === "string",
  custom_message: ({ customType, content }) =>
    typeof customType === "string" && (typeof content === "string" || Array.isArray(content)),
  custom: ({ customType }) => typeof customType === "string",
  compaction: ({ summary }) => typeof summary === "string",
  branch_summary: ({ summary }) => typeof summary === "string",
  model_change: (entry) => modelOf(entry) !== undefined,
  thinking_level_change: ({ thinkingLevel }) => typeof thinkingLevel === "string" || thinkingLevel === null,
  label: ({ targetId, label }) => typeof targetId === "string" && isOptionalString(label),
  session_info: ({ name }) => isOptionalString(name),
  title_change: ({ title }) => typeof title === "string",
  ttsr_injection: ({ injectedRules }) => Array.isArray(injectedRules) && injectedRules.every(isString),
  mode_change: ({ mode }) => typeof mode === "string",
  service_tier_change: () => true,
  session_init: ({ systemPrompt }) => typeof systemPrompt === "string",
  reset_boundary: () => true,
  context_edit: ({ targetId }) => typeof targetId === "string",
  usage: ({ usage }) => isRecord(usage),
  model_usage: ({ usage }) => isRecord(usage),
};

/** Kinds that form the conversation. An unusable entry of these kinds is a missing message. */
const CONVERSATION = new Map<unknown, (entry: Record<string, unknown>) => boolean>(
  (["message", "custom_message", "compaction", "branch_summary"] as const).map((type) => [type, checks[type]]),
);

/** Returns true if an entry is part of the conversation by its type, and its shape makes it unusable. */
export function isMisshapen(entry: { type: string }): boolean {
  // A check asks for fields that the interface does not promise.
  return CONVERSATION.get(entry.type)?.(entry as unknown as Record<string, unknown>) === false;
}

export function isEntry<T extends EntryType>(entry: SessionEntry, type: T): entry is EntryOf<T> {
  // The checks read fields that the entry's interface does not guarantee.
  return entry.type === type && checks[type](entry as unknown as Record<string, unknown>);
}

/** Marks a summary that an extension made instead of a model: each program reads the field under its own name. */
export function extensionMark(fromExtension: boolean | undefined): { fromHook?: boolean; fromExtension?: boolean } {
  return fromExtension === undefined ? {} : { fromHook: fromExtension, fromExtension };
}

export function isFromExtension(entry: { fromHook?: boolean; fromExtension?: boolean }): boolean {
  return entry.fromExtension ?? entry.fromHook ?? false;
}

export interface ModelReference {
  provider: string;
  modelId: string;
}

/** Writes both spellings, for the different programs that read the file. */
export function modelFields({ provider, modelId }: ModelReference, role: string): EntryFields["model_change"] {
  return { provider, modelId, model: `${provider}/${modelId}`, role };
}

/** A model id may contain a slash, but a provider's name cannot. */
export function modelOf(entry: { [K in "provider" | "modelId" | "model"]?: unknown }): ModelReference | undefined {
  const { provider, modelId, model } = entry;
  if (isString(provider) && isString(modelId)) return { provider, modelId };
  const slash = isString(model) ? model.indexOf("/") : -1;
  if (!isString(model) || slash <= 0 || slash === model.length - 1) return undefined;
  return { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isOptionalString(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}
