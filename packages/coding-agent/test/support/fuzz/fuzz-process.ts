import { readdirSync, readFileSync } from "node:fs";
import { program } from "../program.ts";
import type { Random } from "./random.ts";

const MARK = "PINTLE_TEST_FAMILY";

/** Returns the living processes that have the mark in their environment. */
export function family(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, "environ").split("\0").includes(`${MARK}=${mark}`))
    .map((pid) => `${pid} ${readProc(pid, "cmdline").replaceAll("\0", " ").slice(0, 100)}`);
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // it has ended, or it is not ours
  }
}

export interface FuzzProcess {
  /** Splits it into chunks of any size, even inside a character. */
  write(bytes: Uint8Array, random: Random): Promise<void>;
  /** Resident memory in MiB. */
  rss(): number;
  endInput(): void;
  exited: Promise<number>;
  stderr: Promise<string>;
  kill(): void;
}

interface FuzzPlace {
  cwd: string;
  env: Record<string, string>;
  /** Distinguishes it from all other processes. */
  mark: string;
}

/** The built program, whose output is read with pauses. */
export function startFuzzProcess(
  args: readonly string[],
  { cwd, env, mark }: FuzzPlace,
  { random, onChunk }: { random: Random; onChunk: (chunk: Uint8Array) => void },
): FuzzProcess {
  const child = Bun.spawn([program, "--mode", "rpc", ...args], {
    cwd,
    env: { ...env, [MARK]: mark },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const read = (async () => {
    for await (const chunk of child.stdout) {
      onChunk(chunk);
      if (random.chance(0.01)) await Bun.sleep(random.int(60));
    }
  })();
  return {
    async write(bytes, random) {
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random.int(random.chance(0.3) ? 8 : 100_000);
        child.stdin.write(bytes.slice(at, at + size));
        at += size;
        if (random.chance(0.15)) {
          await child.stdin.flush();
          await Bun.sleep(random.chance(0.1) ? random.int(30) : 0);
        }
      }
      await child.stdin.flush();
    },
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readProc(String(child.pid), "status"))?.[1] ?? 0) / 1024,
    endInput: () => void child.stdin.end(),
    exited: Promise.all([child.exited, read]).then(([code]) => code),
    stderr: new Response(child.stderr).text(),
    kill: () => child.kill("SIGKILL"),
  };
}
