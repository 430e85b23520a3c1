import { type ChildProcess, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { Violation } from "./failure.ts";
import { type Frame, isObject } from "./frame.ts";

/** A line of the conversation, for reports. */
export interface LoggedLine {
  way: "→" | "←";
  text: string;
}

export interface Launch {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** How long to wait for anything. */
  patienceMs: number;
}

/** The agent under test: its process, and every line in both directions. */
export class AgentProcess {
  readonly log: LoggedLine[] = [];
  /** Everything it sent that is a JSON object, in order. */
  readonly frames: Frame[] = [];
  /** Lines on stdout that are not JSON objects. */
  readonly strayLines: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  readonly #child: ChildProcess;
  readonly #patienceMs: number;
  readonly #watchers = new Set<() => void>();
  #sent = 0;
  #stderr = "";
  #hasEnded = false;

  constructor({ command, cwd, env, patienceMs }: Launch) {
    const [program = "", ...args] = command;
    this.#patienceMs = patienceMs;
    this.#child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    this.exited = new Promise((resolve) => {
      const ended = (code: number | null, signal: string | null) => {
        this.#hasEnded = true;
        resolve({ code, signal });
        this.#changed();
      };
      this.#child.once("close", ended);
      this.#child.once("error", (error) => {
        this.#stderr += error.message;
        ended(null, null);
      });
    });
    this.#child.stdin?.on("error", () => {}); // The process has ended; its exit reports it.
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-4000);
    });
    this.#readLines();
  }

  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(frame: object): void {
    this.write(`${JSON.stringify(frame)}\n`);
  }

  write(text: string | Uint8Array): void {
    this.log.push({ way: "→", text: typeof text === "string" ? text.trimEnd() : `(${text.length} bytes)` });
    this.#child.stdin?.write(text);
  }

  /** The response to a command, whether it succeeded or not. */
  async request(type: string, params: object = {}): Promise<Frame> {
    const id = this.nextId();
    const from = this.mark();
    this.send({ id, type, ...params });
    // An unknown command may be answered without its id.
    const isAnswer = (frame: Frame) =>
      frame.type === "response" && (frame.id === id || (frame.id === undefined && frame.command === type));
    return this.until(`the response to ${type}`, isAnswer, from);
  }

  /** Returns the data of a command that must succeed. */
  async call(type: string, params: object = {}): Promise<Frame> {
    const { success, error, data } = await this.request(type, params);
    if (success !== true) throw new Violation(`${type} failed: ${error}`);
    return data ?? {};
  }

  /** Sends a prompt and waits for the end of its run; returns the frames in between. */
  async run(message: string): Promise<Frame[]> {
    const from = this.mark();
    await this.call("prompt", { message });
    const end = await this.until("agent_end", ({ type }) => type === "agent_end", from);
    return this.frames.slice(from, this.frames.indexOf(end) + 1);
  }

  nextId(): string {
    this.#sent += 1;
    return `conformance-${this.#sent}`;
  }

  /** A position in the frames, to select later ones. */
  mark(): number {
    return this.frames.length;
  }

  /** Returns the first matching frame from a position on. */
  async until(what: string, fits: (frame: Frame) => boolean, from = this.mark()): Promise<Frame> {
    let next = from;
    const find = () => {
      for (; next < this.frames.length; next += 1) if (fits(this.frames[next] as Frame)) return this.frames[next];
      return undefined;
    };
    return this.#wait(what, find);
  }

  /** Resolves when the condition holds, which is checked after each line. */
  async holds(what: string, condition: () => boolean): Promise<void> {
    await this.#wait(what, () => condition() || undefined);
  }

  /** Closes stdin. Returns the exit status, or a violation if the process does not end. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    this.#child.stdin?.end();
    await this.#wait("the end of the process after stdin was closed", () => this.#hasEnded || undefined, true);
    return this.exited;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }

  #wait<T>(what: string, look: () => T | undefined, mayEnd = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        settle();
      };
      const check = () => {
        const found = look();
        if (found !== undefined) done(() => resolve(found));
        else if (this.#hasEnded && !mayEnd) {
          done(() => reject(new Violation(`the process ended while waiting for ${what}; stderr: ${this.#stderr}`)));
        }
      };
      const timer = setTimeout(
        () => done(() => reject(new Violation(`${what} did not arrive within ${this.#patienceMs} ms`))),
        this.#patienceMs,
      );
      this.#watchers.add(check);
      check();
    });
  }

  #readLines(): void {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#onLine(line);
      this.#changed();
    });
    this.#child.stdout?.on("end", () => {
      if (rest !== "") this.strayLines.push(rest);
    });
  }

  #onLine(line: string): void {
    this.log.push({ way: "←", text: line });
    const frame = parse(line);
    if (isObject(frame)) this.frames.push(frame);
    else this.strayLines.push(line);
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
