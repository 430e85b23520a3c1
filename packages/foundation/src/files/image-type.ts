export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: signatures are bytes
const SIGNATURES: readonly { start: RegExp; type: ImageType }[] = [
  { start: /^\x89PNG\r\n\x1a\n/, type: "image/png" },
  { start: /^\xff\xd8\xff/, type: "image/jpeg" },
  { start: /^GIF8[79]a/, type: "image/gif" },
  { start: /^RIFF.{4}WEBP/s, type: "image/webp" },
];
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/**
 * Detects an image type by the first bytes, because names can be wrong. Returns undefined if models do not accept it.
 */
export function imageTypeOf(content: Buffer): ImageType | undefined {
  const bytes = content.toString("latin1", 0, 16);
  return SIGNATURES.find(({ start }) => start.test(bytes))?.type;
}
