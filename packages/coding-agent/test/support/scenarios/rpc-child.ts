import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";
import { program } from "../program.ts";
import { checkServerFrame } from "../protocol-checker.ts";
import { readLines } from "./lines.ts";

// biome-ignore lint/suspicious/noExplicitAny: frames of many kinds; tests pick what they assert
export type Frame = Record<string, any>;

/** Returns the text of the result that a `tool_execution_end` reports. */
export const textOf = (end: Frame | undefined): string =>
  end?.result.content.map(({ text = "" }: Frame) => text).join("\n") ?? "";

export interface RpcChild extends AsyncDisposable {
  pid: number;
  frames: Frame[];
  stderr(): Promise<string>;
  /** Resolves with the exit code when it exits by itself. */
  exited: Promise<number>;
  /** Sends frames that have no response, in one write. */
  send(...frames: object[]): void;
  /** Sends a line unchanged, for content that no object can represent. */
  sendLine(line: string | Uint8Array): void;
  /** Sends a command and returns its response. */
  call(type: string, params?: object): Promise<Frame>;
  /** Resolves with the next matching frame, or one that was received and not yet taken. */
  until(fits: (frame: Frame) => boolean): Promise<Frame>;
  /** Runs a prompt to its end. */
  prompt(message: string): Promise<void>;
  /** Closes stdin and returns the exit code. */
  end(): Promise<number>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Throws if the line is not a frame that the protocol declares. */
function readFrame(line: string, dialect: Dialect): Frame {
  const frame = JSON.parse(line);
  const [fault] = checkServerFrame(frame, dialect);
  if (fault !== undefined) throw new Error(`a frame breaks the protocol: ${fault}\n${line.slice(0, 2000)}`);
  return frame;
}

export interface RpcPlace {
  cwd: string;
  env: Record<string, string>;
  command?: readonly string[];
  dialect?: Dialect;
}

/**
 * Starts the built program in RPC mode and waits until it is ready. Checks every frame against the protocol's schema.
 */
export async function startRpc(
  args: readonly string[],
  { cwd, env, command = [program], dialect = "seed" }: RpcPlace,
): Promise<RpcChild> {
  const child = Bun.spawn(
    [...command, "--mode", "rpc", ...(dialect === "seed" ? [] : ["--dialect", dialect]), ...args],
    {
      cwd,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const stderr = new Response(child.stderr).text();
  const lines = readLines(child.stdout);
  const frames: Frame[] = [];
  let heard = 0;
  let calls = 0;
  const until = async (fits: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      while (heard < frames.length) {
        const frame = frames[heard] as Frame;
        heard += 1;
        if (fits(frame)) return frame;
      }
      const { value, done } = await lines.next();
      if (done) throw new Error(`the program has ended: ${await stderr}`);
      frames.push(readFrame(value, dialect));
    }
  };
  const rpc: RpcChild = {
    pid: child.pid,
    frames,
    stderr: () => stderr,
    exited: child.exited,
    until,
    sendLine(line) {
      const bytes = typeof line === "string" ? Buffer.from(line) : line;
      child.stdin.write(Buffer.concat([bytes, Buffer.from("\n")])); // in one write
      child.stdin.flush();
    },
    send(...sent) {
      rpc.sendLine(sent.map((frame) => JSON.stringify(frame)).join("\n"));
    },
    call(type, params = {}) {
      calls += 1;
      const id = `c${calls}`;
      rpc.send({ id, type, ...params });
      return until((frame) => frame.type === "response" && frame.id === id);
    },
    async prompt(message) {
      await rpc.call("prompt", { message });
      await until((frame) => frame.type === "agent_settled");
    },
    async end() {
      child.stdin.end();
      for (let line = await lines.next(); !line.done; line = await lines.next())
        frames.push(readFrame(line.value, dialect));
      return child.exited;
    },
    async kill(signal) {
      child.kill(signal);
      await child.exited;
    },
    [Symbol.asyncDispose]: () => rpc.kill("SIGKILL"),
  };
  if (dialect !== "pi") await until((frame) => frame.type === "ready");
  return rpc;
}
