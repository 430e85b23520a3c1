import { SECRET_FORMS, type SecretForm } from "./secret-forms.ts";
import { anyCutSecret, anySecret } from "./secret-spellings.ts";

const MASK = "[redacted]";

/**
 * Words of the session format. They are never masked, even if one is used as the "key" of a local server, because that would
 * make session files unreadable.
 */
const FORMAT_WORDS: ReadonlySet<string> = new Set([
  "assistant",
  "toolCall",
  "toolCallId",
  "toolName",
  "toolResult",
  "thinking",
  "redactedThinking",
  "arguments",
  "argumentsError",
  "bashExecution",
  "branchSummary",
  "compactionSummary",
  "customType",
  "errorMessage",
  "exitCode",
  "fileMention",
  "mimeType",
  "parentId",
  "provider",
  "stopReason",
  "timestamp",
  "compaction",
  "custom_message",
  "branch_summary",
  "model_change",
  "session_info",
  "thinkingLevel",
  "thinking_level_change",
  "excludeFromContext",
]);

export interface Redactor {
  text(text: string): string;
  /** Returns a copy of a JSON value with every string in it masked. */
  value(value: unknown): unknown;
}

export interface RedactorOptions {
  /** Replaces a secret; `[redacted]` unless given. */
  mask?: string;
  /** Known secrets with fewer characters are ignored. */
  shortest?: number;
}

/**
 * Masks these secrets, and everything that looks like a key, a token or a password. A secret that is neither known nor has a
 * known form stays, so output still has to be reviewed before it is shared.
 */
export function createRedactor(
  secrets: readonly (string | undefined)[] = [],
  { mask = MASK, shortest }: RedactorOptions = {},
): Redactor {
  const masked = secrets.filter((secret) => !FORMAT_WORDS.has(secret?.trim() ?? ""));
  const known = anySecret(masked, shortest);
  let cut: RegExp | undefined;
  const maskKnown = (text: string) => {
    const whole = known ? text.replace(known, () => mask) : text;
    if (!known || !whole.includes("…")) return whole;
    cut ??= anyCutSecret(masked, shortest);
    return cut ? whole.replace(cut, () => mask) : whole;
  };
  // Mask known secrets first: a pattern that matches part of one would leave the rest.
  const maskText = (text: string) => maskForms(maskKnown(text), mask);
  const masking: Masking = { mask, text: maskText, short: remembered(maskText) };
  return { text: masking.text, value: (value) => maskValue(value, masking, 0) };
}

interface Masking extends Pick<Redactor, "text"> {
  mask: string;
  /** The same, for strings that occur again and again, such as keys and roles. */
  short: Redactor["text"];
}

const MOST_REMEMBERED = 1_000;
/** Longer strings are hardly ever repeated. */
const LONGEST_REMEMBERED = 40;

/** Remembers the results for short strings. */
function remembered(maskText: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>();
  return (text) => {
    if (text.length > LONGEST_REMEMBERED) return maskText(text);
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size === MOST_REMEMBERED) results.clear();
    const masked = maskText(text);
    results.set(text, masked);
    return masked;
  };
}

function maskForms(text: string, mask: string): string {
  let masked = text;
  for (const form of SECRET_FORMS) {
    if (form.marks && !hasOneOf(masked, form.marks)) continue;
    masked = masked.replace(form.pattern, (...match) => withMask(form, match, mask));
  }
  return masked;
}

function hasOneOf(text: string, marks: readonly string[]): boolean {
  for (const mark of marks) if (text.includes(mark)) return true;
  return false;
}

function withMask({ isSecret }: SecretForm, [whole, kept, value]: readonly unknown[], mask: string): string {
  if (typeof kept !== "string") return mask;
  return isSecret?.(String(value)) === false ? String(whole) : `${kept}${mask}`;
}

/** Deeper than anything a page shows. Values below this level are masked as a whole. */
const MOST_LEVELS = 300;

function maskValue(value: unknown, masking: Masking, level: number): unknown {
  if (typeof value === "string") return masking.short(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= MOST_LEVELS) return masking.mask;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, masking, level + 1));
  const { type, name }: { type?: unknown; name?: unknown } = value;
  // Headers are often lists of {name, value}.
  const isSecretPair = typeof name === "string" && isSecretName(name);
  const isNamedSecret = (key: string) => isSecretName(key) || (isSecretPair && key === "value");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      // A mask in image data would only damage the image.
      if (type === "image" && key === "data" && isImageData(item)) return [key, item];
      return [
        masking.short(key),
        isNamedSecret(key) ? maskAll(item, masking, level + 1) : maskValue(item, masking, level + 1),
      ];
    }),
  );
}

/** Masks every string under the name of a secret as a whole. Numbers under such names are counts, and stay. */
function maskAll(value: unknown, masking: Masking, level: number): unknown {
  if (typeof value === "string") return value === "" ? value : masking.mask;
  if (Array.isArray(value)) return value.map((item) => maskAll(item, masking, level + 1));
  return maskValue(value, masking, level);
}

/** Shorter data is not an image, but may be a key. */
const SHORTEST_IMAGE = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BLOB = /^blob:sha256:[0-9a-f]{64}$/;

function isImageData(data: unknown): boolean {
  return typeof data === "string" && (BLOB.test(data) || (data.length >= SHORTEST_IMAGE && BASE64.test(data)));
}

const secretNames = new Map<string, boolean>();

/** Remembered, because values have few different keys. */
function isSecretName(name: string): boolean {
  if (name.length > LONGEST_REMEMBERED) return SECRET_NAME.test(name);
  const known = secretNames.get(name);
  if (known !== undefined) return known;
  const isSecret = SECRET_NAME.test(name);
  if (secretNames.size === MOST_REMEMBERED) secretNames.clear();
  secretNames.set(name, isSecret);
  return isSecret;
}

const SECRET_NAME =
  /^(?:(?:proxy-)?authorization|x-api-key|(?:set-)?cookie|.*(?:api[-_]?key|secret|passw(?:or)?d|private[-_]?key|access[-_]?token))$/i;
