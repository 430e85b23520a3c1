import { fileURLToPath } from "node:url";

export interface Child {
  pid: number;
  say(line: string): void;
  /** Resolves with the next line of output; undefined at the end. */
  hear(): Promise<unknown>;
  /** Waits until it has exited. */
  kill(): Promise<void>;
}

const children: Child[] = [];

export async function stopChildren(): Promise<void> {
  await Promise.all(children.splice(0).map((child) => child.kill()));
}

/** Runs a job of `storage-child.ts`. */
export function startChild(...args: string[]): Child {
  const script = fileURLToPath(import.meta.resolve("./storage-child.ts"));
  const process_ = Bun.spawn([process.execPath, script, ...args], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = readLines(process_.stdout);
  const child: Child = {
    pid: process_.pid,
    say: (line) => {
      process_.stdin.write(`${line}\n`);
      process_.stdin.flush();
    },
    hear: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    kill: async () => {
      process_.kill("SIGKILL");
      await process_.exited;
    },
  };
  children.push(child);
  return child;
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
}
