const SIGNATURES: readonly (readonly [mimeType: string, pattern: RegExp])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the first bytes of the format
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
];
const SIGNATURE_BYTES = 12;

/** Detects the type by the first bytes, regardless of the name. Returns undefined if models do not accept it. */
export function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, SIGNATURE_BYTES);
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}
