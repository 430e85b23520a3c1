const NEWLINE = 0x0a;
const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
/** A counter byte per lane cannot overflow within this many words of four lanes. */
const WORDS_PER_ROUND = 252;

/** Counts four bytes at a time, because a command may print gigabytes and every byte is checked. */
export function countNewlines(bytes: Uint8Array): number {
  const head = -bytes.byteOffset & 3;
  const wordCount = (bytes.length - head) >> 2;
  if (wordCount <= 0) return countSlowly(bytes, 0, bytes.length);
  const tail = head + wordCount * 4;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + head, wordCount);
  return countSlowly(bytes, 0, head) + countInWords(words) + countSlowly(bytes, tail, bytes.length);
}

function countInWords(words: Int32Array): number {
  const whole = words.length & ~3;
  let count = 0;
  for (let start = 0; start < whole; start += WORDS_PER_ROUND) {
    const end = Math.min(whole, start + WORDS_PER_ROUND);
    let lanes = 0;
    for (let i = start; i < end; i += 4) {
      lanes = (lanes + newlineLanes(words[i]!) + newlineLanes(words[i + 1]!)) | 0;
      lanes = (lanes + newlineLanes(words[i + 2]!) + newlineLanes(words[i + 3]!)) | 0;
    }
    count += sumLanes(lanes);
  }
  for (let i = whole; i < words.length; i += 1) count += sumLanes(newlineLanes(words[i]!));
  return count;
}

/**
 * Returns 1 in every byte of the word that is a newline: such a byte becomes zero, and only zero has its top bit unset at the
 * end.
 */
function newlineLanes(word: number): number {
  const difference = word ^ NEWLINES;
  return ~(((difference & LOW_BITS) + LOW_BITS) | 0 | difference | LOW_BITS) >>> 7;
}

function sumLanes(lanes: number): number {
  return (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
}

function countSlowly(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i += 1) if (bytes[i] === NEWLINE) count += 1;
  return count;
}
