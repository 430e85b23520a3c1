/** The lines of a stream as they come. Of a long line no piece is looked at twice. */
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
