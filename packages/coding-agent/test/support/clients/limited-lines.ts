import { program } from "../program.ts";
import type { Event } from "./started-client.ts";

export interface LimitedReader extends AsyncDisposable {
  frames: Event[];
  /** The longest line so far, in bytes. */
  longest(): number;
  send(frame: object): void;
  until(fits: (frame: Event) => boolean): Promise<Event>;
}

/**
 * Reads like clients whose line buffer has a fixed size: a longer line ends the connection. (Go's default scanner and
 * Python's asyncio streams stop at 64 KiB.)
 */
export function startWithLimit(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  limit: number,
): LimitedReader {
  const child = Bun.spawn([program, "--mode", "rpc", ...args], { cwd, env, stdin: "pipe", stdout: "pipe" });
  const frames: Event[] = [];
  let longest = 0;
  let buffer = Buffer.alloc(0);
  const chunks = child.stdout[Symbol.asyncIterator]();
  const readMore = async () => {
    const { value, done } = await chunks.next();
    if (done) throw new Error("the program has ended");
    buffer = Buffer.concat([buffer, value as Uint8Array]);
    for (let end = buffer.indexOf(0x0a); end >= 0; end = buffer.indexOf(0x0a)) {
      longest = Math.max(longest, end);
      if (end > limit) throw new Error(`line too long: ${end} bytes, ${buffer.toString("utf8", 0, 80)}`);
      frames.push(JSON.parse(buffer.toString("utf8", 0, end)));
      buffer = buffer.subarray(end + 1);
    }
    if (buffer.length > limit) throw new Error(`line too long: ${buffer.toString("utf8", 0, 80)}`);
  };
  let heard = 0;
  return {
    frames,
    longest: () => longest,
    send(frame) {
      child.stdin.write(`${JSON.stringify(frame)}\n`);
      child.stdin.flush();
    },
    async until(fits) {
      for (;;) {
        for (; heard < frames.length; heard += 1) {
          const frame = frames[heard] as Event;
          if (fits(frame)) {
            heard += 1;
            return frame;
          }
        }
        await readMore();
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
