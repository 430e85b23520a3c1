/** The lines of a stream as they come. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
