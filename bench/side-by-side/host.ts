import type { Subprocess } from "bun";
import type { Subject } from "./subjects.ts";

// biome-ignore lint/suspicious/noExplicitAny: frames of several programs; rows pick what they need
export type Frame = Record<string, any>;

interface Waiter {
  fits(frame: Frame): boolean;
  resolve(at: number): void;
  reject(error: Error): void;
}

const LF = 10;
/** Updates are counted, not parsed: reading must stay cheaper than what is measured. */
const UPDATE = Buffer.from('{"type":"message_update"');

const alive = new Set<Host>();

/** Cleans up after a measurement, even one that failed halfway. */
export async function endAllHosts(): Promise<void> {
  for (const host of alive) await host[Symbol.asyncDispose]();
}

/** One subject's process, driven with raw lines. */
export class Host implements AsyncDisposable {
  readonly pid: number;
  bytes = 0;
  updates = 0;
  /** Called for the text of each update, when set. */
  onUpdate: ((line: string) => void) | undefined;
  readonly #child: Subprocess<"pipe", "pipe", "pipe">;
  readonly #waiters = new Set<Waiter>();
  #sent = 0;
  #hasEnded = false;

  constructor(subject: Subject, args: readonly string[] = []) {
    this.#child = Bun.spawn([...subject.command, ...args], {
      cwd: subject.cwd,
      env: subject.env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.pid = this.#child.pid;
    alive.add(this);
    void this.#read();
  }

  send(frame: object): void {
    this.write(`${JSON.stringify(frame)}\n`);
  }

  write(text: string): void {
    this.#child.stdin.write(text);
    this.#child.stdin.flush();
  }

  /** Sends a command; resolves with the time at which its response was read. */
  call(type: string, params: object = {}): Promise<number> {
    this.#sent += 1;
    const id = `c${this.#sent}`;
    const answered = this.until((frame) => frame.type === "response" && frame.id === id && succeeded(frame));
    this.send({ id, type, ...params });
    return answered;
  }

  /** Resolves with the time at which the end of the run was read. */
  async prompt(message: string): Promise<number> {
    const ended = this.until((frame) => frame.type === "agent_end");
    ended.catch(() => {}); // a refused prompt is the better reason
    await this.call("prompt", { message });
    return ended;
  }

  /** Resolves with the time at which the next matching frame was read. `fits` sees every frame until then. */
  until(fits: (frame: Frame) => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) reject(new Error("the program has ended"));
      else this.#waiters.add({ fits, resolve, reject });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    alive.delete(this);
  }

  async #read(): Promise<void> {
    const stderr = new Response(this.#child.stderr).text();
    const parts: Uint8Array[] = [];
    for await (const chunk of this.#child.stdout) {
      this.bytes += chunk.length;
      let start = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
        parts.push(chunk.subarray(start, end));
        this.#onLine(parts.length === 1 ? Buffer.from(parts[0]!) : Buffer.concat(parts));
        parts.length = 0;
        start = end + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    }
    this.#hasEnded = true;
    const error = new Error(`the program has ended: ${(await stderr).trim().slice(-300)}`);
    for (const { reject } of this.#waiters) reject(error);
  }

  #onLine(line: Buffer): void {
    if (UPDATE.equals(line.subarray(0, UPDATE.length))) {
      this.updates += 1;
      this.onUpdate?.(line.toString());
      return;
    }
    const at = performance.now();
    const frame = readFrame(line);
    for (const waiter of this.#waiters) {
      try {
        if (!waiter.fits(frame)) continue;
        waiter.resolve(at);
      } catch (error) {
        waiter.reject(error as Error);
      }
      this.#waiters.delete(waiter);
    }
  }
}

const DATA = Buffer.from(',"data":');
const HEAD_BYTES = 256;

/** Only the head of a long response is parsed; its data on demand. */
function readFrame(line: Buffer): Frame {
  const data = line.length > 2 * HEAD_BYTES ? line.subarray(0, HEAD_BYTES).indexOf(DATA) : -1;
  if (data === -1) return JSON.parse(line.toString());
  const head = JSON.parse(`${line.subarray(0, data)}}`) as Frame;
  return Object.defineProperty(head, "data", { get: () => JSON.parse(line.toString()).data });
}

function succeeded(frame: Frame): true {
  if (frame.success !== true) throw new Error(`${frame.command}: ${frame.error}`);
  return true;
}
