import type { Mask } from "../masking/mask.ts";

/** A user-defined rule from `normalize.json`. */
export interface ExtraRule {
  pattern: RegExp;
  replace: string;
}

/** A date, with or without a time of day; milliseconds since the epoch. */
const TIMES =
  /\b(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![\d-])|(?<![\w.])1\d{12}(?![\w.])/g;
const UUIDS_AND_PREVIEWS = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|pa_\d+)\b/gi;
/** Matches anything that may be an id; the list of known ids decides. */
const WORDS = /[\w-]{6,}/g;
/** How long a command or a subagent worked, in reports to the model. */
const DURATIONS = /(?<=^(?:Background job|Subagent|bg_\d+) .{1,200} after )\d+(?:\.\d+)?(?= s\b)/gm;
/** Matches the machine line of the system prompt, so that recordings replay on any machine. */
const MACHINE = /^Operating system: .*\n/gm;
export const TIME = "<time>";

/** Longer values, such as images, are replaced by their digest. */
const LONGEST_BASE64 = 256;
const BASE64 = /^(?:data:[^,\s]{0,100},)?[A-Za-z0-9+/_-]+={0,2}$/;

export interface TextNormalizer {
  text(text: string): string;
  /** Normalizes a value that is an id as a whole. */
  id(id: string): string;
}

/**
 * Removes what differs between runs without meaning: paths, times, ids. Ids are numbered in order of appearance, so
 * that a call and its result still belong together.
 */
export function createTextNormalizer(parts: {
  mask: Mask;
  /** Ids that may also occur inside text. */
  ids: ReadonlySet<string>;
  rules: readonly ExtraRule[];
  digest(text: string): string;
}): TextNormalizer {
  const { mask, ids, rules, digest } = parts;
  const numbers = new Map<string, string>();
  const number = (id: string) => {
    const known = numbers.get(id) ?? `<id:${numbers.size + 1}>`;
    numbers.set(id, known);
    return known;
  };
  return {
    id: number,
    text(text) {
      if (text.length > LONGEST_BASE64 && BASE64.test(text)) {
        return `<base64 ${text.length} characters, sha256 ${digest(text).slice(0, 16)}>`;
      }
      const plain = mask
        .text(text)
        .replace(UUIDS_AND_PREVIEWS, (id) => number(id.toLowerCase()))
        .replace(WORDS, (word) => (ids.has(word) ? number(word) : word))
        .replace(TIMES, TIME)
        .replace(DURATIONS, TIME)
        .replace(MACHINE, "");
      return rules.reduce((result, { pattern, replace }) => result.replace(pattern, replace), plain);
    },
  };
}
