/** Yields the lines of a stream as they arrive. Scans each piece of a long line only once. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let pieces: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    pieces.push(first);
    for (const piece of others) {
      yield pieces.join("");
      pieces = [piece];
    }
  }
}
