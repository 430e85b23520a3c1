import { SECRET_FORMS, type SecretForm } from "./secret-forms.ts";
import { anySecret } from "./secret-spellings.ts";

const MASK = "[redacted]";

/** The "key" for a local server may be any word. With these masked, nothing of a session could be read any more. */
const FORMAT_WORDS: ReadonlySet<string> = new Set([
  ...["assistant", "toolCall", "toolCallId", "toolName", "toolResult", "thinking", "redactedThinking", "arguments"],
  ...[
    "argumentsError",
    "bashExecution",
    "branchSummary",
    "compactionSummary",
    "customType",
    "errorMessage",
    "exitCode",
  ],
  ...["fileMention", "mimeType", "parentId", "provider", "stopReason", "timestamp", "compaction", "custom_message"],
  ...["branch_summary", "model_change", "session_info", "thinkingLevel", "thinking_level_change", "excludeFromContext"],
]);

export interface Redactor {
  text(text: string): string;
  /** A copy of a JSON value with every string in it masked. */
  value(value: unknown): unknown;
}

/**
 * Masks these secrets wherever they stand, and what looks like a key, a token or a password. What is neither known nor has a
 * known form is not found: read before you share.
 */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = anySecret(secrets.filter((secret) => !FORMAT_WORDS.has(secret.trim())));
  // Known secrets go first: a form that fits a part of one would leave the rest.
  const text = (given: string) => maskForms(known ? given.replace(known, MASK) : given);
  return { text, value: (value) => maskValue(value, text, 0) };
}

function maskForms(text: string): string {
  return SECRET_FORMS.reduce((masked, form) => masked.replace(form.pattern, (...match) => withMask(form, match)), text);
}

function withMask({ isSecret }: SecretForm, [whole, kept, value]: readonly unknown[]): string {
  if (typeof kept !== "string") return MASK;
  return isSecret?.(String(value)) === false ? String(whole) : `${kept}${MASK}`;
}

/** Deeper than anything a page shows; what is below is not shown at all. */
const MOST_LEVELS = 300;

function maskValue(value: unknown, text: Redactor["text"], level: number): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  if (level >= MOST_LEVELS) return MASK;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, text, level + 1));
  const { type, name }: { type?: unknown; name?: unknown } = value;
  // Headers are often lists of {name, value}.
  const isSecretPair = typeof name === "string" && SECRET_NAME.test(name);
  const isNamedSecret = (key: string) => SECRET_NAME.test(key) || (isSecretPair && key === "value");
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      // A mask in the data of a picture would only spoil the picture.
      if (type === "image" && key === "data" && isPictureData(item)) return [key, item];
      return [text(key), isNamedSecret(key) ? maskAll(item, text, level + 1) : maskValue(item, text, level + 1)];
    }),
  );
}

/** What stands under the name of a secret: every text in it as a whole. Numbers under such names are counts. */
function maskAll(value: unknown, text: Redactor["text"], level: number): unknown {
  if (typeof value === "string") return value === "" ? value : MASK;
  if (Array.isArray(value)) return value.map((item) => maskAll(item, text, level + 1));
  return maskValue(value, text, level);
}

/** Shorter than this there is no picture, but there may be a key. */
const SHORTEST_PICTURE = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BLOB = /^blob:sha256:[0-9a-f]{64}$/;

function isPictureData(data: unknown): boolean {
  return typeof data === "string" && (BLOB.test(data) || (data.length >= SHORTEST_PICTURE && BASE64.test(data)));
}

const SECRET_NAME =
  /^(?:(?:proxy-)?authorization|x-api-key|(?:set-)?cookie|.*(?:api[-_]?key|secret|passw(?:or)?d|private[-_]?key|access[-_]?token))$/i;
