import { EventGrammar } from "@pintle/agent/testing";
import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";
import { checkServerFrame } from "../protocol-checker.ts";
import type { Frame } from "../scenarios/rpc-child.ts";

const LF = 0x0a;
const TRAIL = 20;

function describe({ type, command, success, message, reason, stopReason, errorMessage }: Frame): string {
  const facts = [
    command,
    success,
    message?.role,
    message?.stopReason,
    message?.errorMessage,
    reason,
    stopReason,
    errorMessage,
  ];
  return [type, ...facts.filter((fact) => fact !== undefined)].join(" ").slice(0, 120);
}

/** Checks everything a process writes to stdout, byte by byte: framing, encoding and the event grammar. */
export class FrameStream {
  readonly faults: string[] = [];
  count = 0;
  bytes = 0;
  readonly #grammar = new EventGrammar({ expectSettled: true });
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #dialect: Dialect;
  readonly #onFrame: (frame: Frame) => void;
  readonly #trail: string[] = [];
  #open: Uint8Array[] = [];

  constructor(dialect: Dialect, onFrame: (frame: Frame) => void) {
    this.#dialect = dialect;
    this.#onFrame = onFrame;
  }

  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#readLine(Buffer.concat([...this.#open, chunk.subarray(start, end)]));
      this.#open = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#open.push(chunk.slice(start));
  }

  finish(): string[] {
    if (this.#open.length > 0) this.faults.push("the last line is torn");
    return [...this.faults, ...this.#grammar.finish()];
  }

  /** A violation is reported with the events before it. */
  #feed(frame: Frame): void {
    const { violations } = this.#grammar;
    const before = violations.length;
    this.#grammar.feed(frame as never);
    if (frame.type !== "message_update") this.#trail.push(describe(frame));
    this.#trail.splice(0, this.#trail.length - TRAIL);
    if (violations.length > before) violations.push(`… after ${this.#trail.join(" · ")}`);
  }

  #readLine(line: Uint8Array): void {
    try {
      const text = this.#decoder.decode(line);
      if (/[\r\u2028\u2029]/.test(text)) throw new Error("a raw line separator");
      const frame = JSON.parse(text) as Frame;
      const isReady = frame.type === "ready";
      if (isReady !== (this.count === 0 && this.#dialect === "seed")) throw new Error("ready out of place");
      this.count += 1;
      const [fault] = checkServerFrame(frame, this.#dialect);
      if (fault !== undefined) throw new Error(fault);
      this.#feed(frame);
      this.#onFrame(frame);
    } catch (error) {
      this.faults.push(`line ${this.count}: ${error} in ${new TextDecoder().decode(line).slice(0, 500)}`);
    }
  }
}
