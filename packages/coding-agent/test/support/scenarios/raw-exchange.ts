import { program } from "../program.ts";
import { checkServerFrame } from "../protocol-checker.ts";
import type { Frame } from "./rpc-child.ts";

export interface Exchanged {
  code: number;
  frames: Frame[];
  stdout: string;
  stderr: string;
}

/** Writes the bytes to the program's stdin and closes it before reading anything. */
export async function rawExchange(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
  input: string | Uint8Array,
): Promise<Exchanged> {
  const child = Bun.spawn([program, "--mode", "rpc", ...args], {
    cwd,
    env,
    stdin: typeof input === "string" ? new TextEncoder().encode(input) : input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const frames = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Frame);
  const faults = frames.flatMap((frame) => checkServerFrame(frame));
  if (faults.length > 0) throw new Error(`frames break the protocol: ${faults.join("; ")}`);
  return { code, frames, stdout, stderr };
}
