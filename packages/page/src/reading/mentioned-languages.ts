import { languageByName } from "@pintle/highlight/languages";

/** Names of languages: the first word of a fence, the extension of a file name, and a whole file name. */
const NAMES =
  /(?:`{3}|~{3}) ?([\w+#.-]{1,30})|(?<=[\w-])\.([a-z][\w+#]{0,11})|(?<=["/])([a-z]{4,16}(?:\.txt)?)(?=["\\])/gi;

/**
 * Returns the languages that code in the text may have. The page needs their grammars: an unnecessary one costs 5 KB, and a
 * missing one leaves code plain.
 */
export function mentionedLanguages(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, fence, extension, file] of text.matchAll(NAMES)) names.add(fence ?? extension ?? file ?? "");
  return new Set([...names].flatMap((name) => languageByName(name) ?? []));
}
