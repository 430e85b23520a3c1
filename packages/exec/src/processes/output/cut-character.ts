/** Returns how many bytes at the end are the start of a UTF-8 character whose rest may still arrive. */
export function cutCharacterBytes(bytes: Uint8Array): number {
  for (let count = 1; count <= 3 && count <= bytes.length; count += 1) {
    const byte = bytes[bytes.length - count]!;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) return count < lengthFrom(byte) ? count : 0;
  }
  return 0;
}

/** Returns the length of the character that starts with this byte. */
function lengthFrom(first: number): number {
  if (first >= 0xf0) return first < 0xf8 ? 4 : 1;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}
