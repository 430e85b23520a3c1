import type { Decoding } from "./decoding.ts";

/** Between words, with a space on both sides or on none: no option of a command, no operator. */
const DOUBLE_HYPHEN = /(?<=[\p{L}\p{N}])--(?=[\p{L}\p{N}])|(?<= )--(?= )/gu;

export const doubleHyphens: Decoding = {
  told: "with -- read as a dash",
  decode({ oldText, newText }) {
    if (oldText.search(DOUBLE_HYPHEN) === -1) return undefined;
    return { oldText: oldText.replace(DOUBLE_HYPHEN, "—"), newText: newText.replace(DOUBLE_HYPHEN, "—") };
  },
};
