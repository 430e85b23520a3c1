import { createHash } from "node:crypto";
import { isRecord, type Model } from "@pintle/ai";
import type { Mask } from "../masking/mask.ts";
import { createTextNormalizer, type ExtraRule, type TextNormalizer, TIME } from "./normalize-text.ts";

/** A request without anything that differs between runs, with sorted keys. Equivalent requests are equal. */
export interface CanonicalRequest {
  api: string;
  body: unknown;
  model: string;
  path: string;
  provider: string;
  /** The subagent that sent it. */
  subagent?: string;
}

export interface SentRequest {
  model: Model;
  url: string;
  body: unknown;
  /** Session id of the conversation, which some bodies contain. */
  sessionId?: string | undefined;
  subagent?: string | undefined;
}

/** Fields that control the provider's cache and do not change the answer. */
const CACHE_KEYS: ReadonlySet<string> = new Set([
  "prompt_cache_key",
  "prompt_cache_retention",
  "cache_control",
  "safety_identifier",
]);
const ID_KEYS: ReadonlySet<string> = new Set([
  "id",
  "tool_use_id",
  "tool_call_id",
  "call_id",
  "item_id",
  "previous_response_id",
]);
const OPAQUE_KEYS: ReadonlySet<string> = new Set([
  "signature",
  "thoughtSignature",
  "thought_signature",
  "encrypted_content",
]);
/** Blocks whose `data` only the provider can read. */
const OPAQUE_TYPES: ReadonlySet<unknown> = new Set(["redacted_thinking", "reasoning.encrypted"]);
/** Fields with the input or output of a tool, where `id` has no special meaning. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parameters",
  "input_schema",
  "parametersJsonSchema",
]);
const OPAQUE = "<opaque>";

export function canonicalRequest(
  { model, url, body, sessionId, subagent }: SentRequest,
  mask: Mask,
  rules: readonly ExtraRule[],
): CanonicalRequest {
  const ids = new Set<string>(sessionId && sessionId.length >= 6 ? [sessionId] : []);
  collectIds(body, ids);
  const texts = createTextNormalizer({ mask, ids, rules, digest: sha256 });
  return {
    api: model.api,
    body: normalize(body, texts),
    model: model.id,
    path: mask.text(pathOf(url, model.baseUrl)),
    provider: model.provider,
    ...(subagent !== undefined && { subagent }),
  };
}

export function formatRequest(request: CanonicalRequest): string {
  return `${JSON.stringify(request, null, 2)}\n`;
}

/** The key of a request: equal for equal canonical forms. */
export function requestKey(request: CanonicalRequest): string {
  return sha256(JSON.stringify(request)).slice(0, 12);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The path after the base URL without a version, which may or may not be part of the base URL. */
function pathOf(url: string, baseUrl: string): string {
  const { pathname } = new URL(url);
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/+$/, "") : "";
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return path.replace(/^\/v\d+\w*(?=\/)/, "");
}

function normalize(value: unknown, texts: TextNormalizer, isForeign = false): unknown {
  if (typeof value === "string") return texts.text(value);
  if (typeof value === "number") return isEpochMs(value) ? TIME : value;
  if (Array.isArray(value)) return value.map((item) => normalize(item, texts, isForeign));
  if (!isRecord(value)) return value;
  const result: [string, unknown][] = [];
  for (const key of Object.keys(value).sort()) {
    if (isForeign) result.push([texts.text(key), normalize(value[key], texts, true)]);
    else if (!CACHE_KEYS.has(key)) result.push([texts.text(key), normalizeField(value, key, texts)]);
  }
  return Object.fromEntries(result);
}

function normalizeField(fields: Record<string, unknown>, key: string, texts: TextNormalizer): unknown {
  const value = fields[key];
  if (typeof value === "string") {
    if (OPAQUE_KEYS.has(key) || (key === "data" && OPAQUE_TYPES.has(fields.type))) return OPAQUE;
    if (ID_KEYS.has(key)) return texts.id(value);
  }
  return normalize(value, texts, isForeignField(fields, key));
}

/** Anthropic's `input` belongs to the tool, OpenAI's is the conversation. */
function isForeignField(fields: Record<string, unknown>, key: string): boolean {
  return FOREIGN_KEYS.has(key) || (key === "input" && fields.type === "tool_use");
}

function collectIds(value: unknown, ids: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectIds(item, ids);
  else if (isRecord(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (typeof child === "string" && ID_KEYS.has(key)) ids.add(child);
      else if (!isForeignField(value, key)) collectIds(child, ids);
    }
  }
}

function isEpochMs(value: number): boolean {
  return Number.isInteger(value) && value >= 1e12 && value < 2e12;
}
