import type { Decoding } from "./decoding.ts";

const SIGNS: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#34;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
};

export const entities = decodingOf({ ...SIGNS, "&amp;": "&" });

/** The file has `&amp;` itself. */
export const entitiesButAmpersands = decodingOf(SIGNS);

function decodingOf(signs: Readonly<Record<string, string>>): Decoding {
  const entity = new RegExp(Object.keys(signs).join("|"), "gi");
  const signOf = (name: string) => signs[name.toLowerCase()]!;
  const decode = (text: string) => text.replace(entity, signOf);
  return {
    told: "with HTML entities read as what they stand for",
    decode({ oldText, newText }) {
      if (oldText.search(entity) === -1) return undefined;
      const decodedOld = decode(oldText);
      // A sign that stands in the new text both as itself and as an entity: one of them is meant.
      const kinds = (newText.match(entity) ?? []).map(signOf);
      const rest = newText.replace(entity, "");
      if (kinds.some((sign) => rest.includes(sign))) return { oldText: decodedOld };
      return { oldText: decodedOld, newText: decode(newText) };
    },
  };
}
