/** The model of all subjects: a server on loopback in this process, so that our clock sees the arrival of a request. */
export interface ModelServer extends Disposable {
  /** Includes the version path that the subjects' configurations name. */
  url: string;
  /** When each request arrived, in ms of `performance.now()`. */
  requests: number[];
  /** Answers all requests from now on; receives the number of requests since it was set. */
  answer: (count: number) => BodyInit;
  nextRequest(): Promise<number>;
}

export function startModelServer(): ModelServer {
  let answered = 0;
  let arrived = Promise.withResolvers<number>();
  let answer: ModelServer["answer"] = () => text("ok");
  const requests: number[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    async fetch(request) {
      const now = performance.now();
      requests.push(now);
      arrived.resolve(now);
      arrived = Promise.withResolvers();
      await request.arrayBuffer();
      answered += 1;
      return new Response(answer(answered), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    get answer() {
      return answer;
    },
    set answer(next) {
      answer = next;
      answered = 0;
      requests.length = 0;
    },
    nextRequest: () => arrived.promise,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function event(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

const END = `${event({}, "stop")}data: [DONE]\n\n`;
const delta = (n: number) => event({ content: ` word${n % 10_000}` });

export const text = (content: string) => event({ role: "assistant", content }) + END;

/** Sends everything at once, as fast as the socket allows. */
export function burst(count: number): string {
  return Array.from({ length: count }, (_, n) => delta(n)).join("") + END;
}

export const toolCall = (name: string, args: object) => toolCalls(name, [args]);

/** One answer that calls a tool several times. */
export function toolCalls(name: string, list: readonly object[]): string {
  const tool_calls = list.map((args, index) => {
    const called = { name, arguments: JSON.stringify(args) };
    return { index, id: `call_${crypto.randomUUID()}`, type: "function", function: called };
  });
  return `${event({ role: "assistant", tool_calls })}${event({}, "tool_calls")}data: [DONE]\n\n`;
}

/** One at a time, at an even pace. */
export function paced(count: number, perSecond: number): ReadableStream {
  return direct(async (write) => {
    const start = performance.now();
    for (let n = 0; n < count; n += 1) {
      await Bun.sleep(Math.max(0, start + (n * 1000) / perSecond - performance.now()));
      write(delta(n));
    }
    write(END);
  });
}

/** Streams without an end, until the client leaves. */
export function flood(): ReadableStream {
  const piece = new TextEncoder().encode(Array.from({ length: 300 }, (_, n) => delta(n)).join(""));
  return new ReadableStream({ pull: (controller) => controller.enqueue(piece) }, { highWaterMark: 1 });
}

/** An answer whose only delta is sent when the caller says so. `ended` resolves when its last byte is sent. */
export function held(): { body: ReadableStream; ended: Promise<number>; release(): void } {
  const gate = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const body = direct(async (write) => {
    write(": open\n\n");
    await gate.promise;
    write(delta(1));
    await Bun.sleep(30); // only the delta is measured
    ended.resolve(performance.now());
    write(END);
  });
  return { body, ended: ended.promise, release: gate.resolve };
}

/** Each piece is in transit when `write` returns. */
function direct(produce: (write: (piece: string) => void) => Promise<void>): ReadableStream {
  return new ReadableStream({
    type: "direct",
    async pull(controller: { write(piece: string): void; flush(): void; close(): void }) {
      await produce((piece) => {
        controller.write(piece);
        controller.flush();
      });
      controller.close();
    },
  } as unknown as UnderlyingSource);
}
