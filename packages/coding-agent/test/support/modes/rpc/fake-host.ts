import { expect } from "bun:test";
import { FrameWriter } from "../../../../src/modes/frames/frame-writer.ts";
import { type RpcModeOptions, runRpcMode } from "../../../../src/modes/rpc/rpc-mode.ts";
import type { AgentSession } from "../../../../src/session/agent-session.ts";
import { checkServerFrame } from "../../protocol-checker.ts";
import { FakeSink } from "../frames/fake-sink.ts";
import { FakeTimers, settle } from "../frames/fake-timers.ts";
import { FakeSession } from "./fake-session.ts";

/** The host's end of a connection: writes lines, receives frames. */
export class FakeHost {
  readonly sink = new FakeSink();
  readonly timers = new FakeTimers();
  readonly signal = new AbortController();
  readonly bugs: unknown[] = [];
  readonly exitCode: Promise<number>;
  #stdin!: ReadableStreamDefaultController<Uint8Array>;

  constructor(session: FakeSession | Promise<FakeSession>, options: Partial<RpcModeOptions> = {}) {
    const stdin = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stdin = controller;
      },
    });
    this.exitCode = runRpcMode(toSession(session), {
      stdin,
      writer: new FrameWriter({ sink: this.sink, timers: this.timers }),
      version: "1.2.3",
      timers: this.timers,
      ending: this.signal.signal,
      reportBug: (error) => this.bugs.push(error),
      ...options,
    });
  }

  /** Sends all lines in one write; objects become JSON. */
  async send(...lines: (object | string)[]): Promise<void> {
    const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
    await this.write(text);
  }

  async write(text: string): Promise<void> {
    this.#stdin.enqueue(new TextEncoder().encode(text));
    await settle();
  }

  async close(): Promise<void> {
    this.#stdin.close();
    await settle();
  }

  async breakStdin(): Promise<void> {
    this.#stdin.error(new Error("EIO"));
    await settle();
  }

  async advance(ms: number): Promise<void> {
    this.timers.advance(ms);
    await settle();
  }

  /** Returns the frames since the last call. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every kind
  frames(): any[] {
    const frames = this.sink.takeFrames();
    for (const frame of frames) expect(checkServerFrame(frame)).toEqual([]);
    return frames;
  }

  /** The exit code, or "running". */
  async state(): Promise<number | "running"> {
    await settle();
    return Promise.race([this.exitCode, Promise.resolve("running" as const)]);
  }
}

/** Returns a connection whose `ready` has been read. */
export async function connect(): Promise<{ host: FakeHost; session: FakeSession }> {
  const session = new FakeSession();
  const host = new FakeHost(session);
  await settle();
  host.frames();
  return { host, session };
}

function toSession(session: FakeSession | Promise<FakeSession>): AgentSession | Promise<AgentSession> {
  return session instanceof Promise ? session.then((fake) => fake.asSession()) : session.asSession();
}
