/** Larger than any event of a provider. */
const MAX_LINE = 16 * 1024 * 1024;

/** Passes bytes through unchanged and reports the JSON in the `data:` lines of a server-sent event stream. */
export function observedEvents(report: (data: unknown) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  const read = (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE) rest = "";
    for (const line of lines) if (line.startsWith("data:")) reportJson(line.slice("data:".length), report);
  };
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      read(decoder.decode(chunk, { stream: true }));
    },
    flush: () => read(`${decoder.decode()}\n`),
  });
}

/** Ignores lines that are not JSON, such as the last line of many providers. */
function reportJson(text: string, report: (data: unknown) => void): void {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return;
  }
  report(data);
}
