import type { Decoding } from "./decoding.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&#34;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&#x2F;": "/",
  "&#47;": "/",
  "&nbsp;": "\u00a0",
};
const ENTITY = new RegExp(Object.keys(ENTITIES).join("|"), "gi");

export const entities: Decoding = {
  told: "with HTML entities read as what they stand for",
  decode({ oldText, newText }) {
    if (!hasEntity(oldText)) return undefined;
    const decoded = { oldText: decode(oldText), newText };
    if (!hasEntity(newText)) return decoded;
    // A sign that stands in the new text both as itself and as an entity: one of them is meant.
    const kinds = [...new Set(newText.match(ENTITY) ?? [])].map((entity) => ENTITIES[entity.toLowerCase()]!);
    const rest = newText.replace(ENTITY, "");
    if (kinds.some((sign) => rest.includes(sign))) return { oldText: decoded.oldText };
    return { ...decoded, newText: decode(newText) };
  },
};

function hasEntity(text: string): boolean {
  return text.search(ENTITY) !== -1;
}

function decode(text: string): string {
  return text.replace(ENTITY, (entity) => ENTITIES[entity.toLowerCase()]!);
}
