import { join, resolve } from "node:path";

export const repository = resolve(import.meta.dir, "../../../..");
export const dist = join(repository, "dist");
/** The built program; `npm test` builds it before any test runs. */
export const program = join(dist, "pintle");

/** An environment without the machine's keys and its user's home. */
export function cleanEnvironment(home: string, extra: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, PINTLE_HOME: join(home, ".pintle"), ...extra };
}

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built program to its end. */
export async function runProgram(
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; input?: string; command?: readonly string[] },
): Promise<Finished> {
  const child = Bun.spawn([...(options.command ?? [program]), ...args], {
    cwd: options.cwd,
    env: options.env,
    stdin: new TextEncoder().encode(options.input ?? ""),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}
