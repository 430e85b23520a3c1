import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { type ChildOutput, OutputReader, OutputTail, type ReadableOutput, toPlainText } from "@pintle/exec";
import { type Child, keepTail, type ProcessRunner } from "@pintle/exec/processes";
import type { Sandbox } from "@pintle/exec/sandbox";
import { within } from "@pintle/foundation";
import type { StdioSpec } from "../config/server-spec.ts";
import { MessageLines, MessageTooLong } from "./message-lines.ts";

/** How long a server may take to exit after its stdin closes, before it gets a signal. */
const EXIT_MS = 500;
const STOP_GRACE_MS = 1_000;

/**
 * Talks to a server that is a child process, with one message per line on its stdin and stdout. The process runner starts it like
 * every other program, and so controls its environment, its process group and its end.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #spec: StdioSpec;
  readonly #processRunner: ProcessRunner;
  readonly #sandbox: Pick<Sandbox, "wrap"> | undefined;
  readonly #stderr = new StderrTail();
  readonly #lines = new MessageLines();
  #child: Child | undefined;
  #over: Promise<void> = Promise.resolve();
  #fault: string | undefined;
  #exit: string | undefined;

  constructor(spec: StdioSpec, processRunner: ProcessRunner, sandbox?: Pick<Sandbox, "wrap">) {
    this.#spec = spec;
    this.#processRunner = processRunner;
    this.#sandbox = sandbox;
  }

  /** Why the connection ended, if known. */
  get end(): string | undefined {
    return this.#fault ?? this.#exit;
  }

  /** The last lines of its stderr. */
  get stderrEnd(): string {
    return this.#stderr.text();
  }

  /** Throws StartError if the program could not be started. */
  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#spec;
    // The sandbox needs the resolved path. If the program is missing, the process runner reports it.
    const program = this.#processRunner.which(command, cwd) ?? command;
    // Its variables often contain keys, so they must not be on a command line, which every process can read.
    const wrapped = await this.#sandbox?.wrap({ command: [program, ...args], cwd, env: {} });
    const start = { command: [command, ...args] as const, ...wrapped, cwd, env };
    try {
      this.#child = this.#processRunner.start({ ...start, stdin: "pipe", stderr: "separate" });
    } catch (error) {
      wrapped?.afterwards?.();
      throw error;
    }
    this.#over = this.#run(this.#child).finally(() => wrapped?.afterwards?.());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
    } catch (error) {
      await within(EXIT_MS, this.#over); // usually the process is about to exit, which gives a better reason
      throw error;
    }
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.stdin?.end();
    await within(EXIT_MS, this.#over);
    child.stop("shutdown", STOP_GRACE_MS);
    await this.#over;
  }

  /** Resolves when the process has exited and all of its output was read. */
  async #run(child: Child): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const output = noticeEnd(child.stdout, () => {
      timer = setTimeout(() => this.#giveUp("it has closed its output"), EXIT_MS);
    });
    const messages = new OutputReader(output, (chunk) => this.#take(chunk));
    const errors = new OutputReader(child.stderr!, (chunk) => this.#stderr.add(chunk));
    const { code, signal, stoppedFor } = await child.exited;
    if (stoppedFor) this.#exit = "it was stopped";
    else this.#exit = code === undefined ? `it was killed by ${signal}` : `it exited with code ${code}`;
    await Promise.all([messages.drain(), errors.drain()]);
    clearTimeout(timer);
    this.onclose?.();
  }

  #giveUp(fault: string): void {
    this.#fault = fault;
    this.#child?.stop("aborted", STOP_GRACE_MS);
  }

  #take(chunk: Uint8Array): undefined {
    if (this.#fault !== undefined) return;
    try {
      for (const line of this.#lines.push(chunk)) this.#receive(line);
    } catch (error) {
      this.#giveUp(error instanceof MessageTooLong ? error.message : `one of its messages cannot be handled: ${error}`);
    }
  }

  /** Some servers print other text on stdout. It is harmless and may explain a later failure. */
  #receive(line: string): void {
    const message = parseMessage(line);
    if (message) this.onmessage?.(message);
    else this.#stderr.add(Buffer.from(`${line}\n`));
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** A server that has closed its stdout can no longer answer; usually it is about to exit. */
function noticeEnd(output: ChildOutput, onEnd: () => void): ReadableOutput {
  return {
    async read() {
      const chunk = await output.read();
      if (!chunk) onEnd();
      return chunk;
    },
    discardRest: () => output.discardRest(),
  };
}

const KEPT_BYTES = 16 * 1024;
const SHOWN = { maxLines: 20, maxBytes: 2048 };

/** Keeps the end of a server's stderr for error messages, in constant memory. */
class StderrTail {
  readonly #tail = new OutputTail(KEPT_BYTES);

  add(chunk: Uint8Array): undefined {
    this.#tail.append(chunk);
  }

  text(): string {
    const raw = this.#tail.bytes();
    const text = toPlainText(raw, { hasStart: raw.length === this.#tail.totalBytes, hasEnd: true });
    return keepTail(text, SHOWN).text.trim();
  }
}
