import { join } from "node:path";

const program = join(import.meta.dir, "../../dist/pintle");

/** Milliseconds from the start of the built program to its first frame, in a home that is also its working directory. */
export async function readyMs(home: string, pintleHome = home): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([program, "--mode", "rpc", "--no-session", "--model", "pintle/offline"], {
    cwd: home,
    env: { PATH: process.env.PATH ?? "", HOME: home, PINTLE_HOME: pintleHome },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  await child.stdout.getReader().read();
  const ms = performance.now() - startedAt;
  child.kill("SIGKILL");
  await child.exited;
  return ms;
}
