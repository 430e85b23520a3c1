import type { RunCommand } from "./secret-value.ts";

/** Runs a `!command` of the user's own configuration. Its stderr is dropped: it may quote what it was asked for. */
export const runShellCommand: RunCommand = async (command, { signal }) => {
  const child = Bun.spawn(["sh", "-c", command], { stdin: "ignore", stdout: "pipe", stderr: "ignore", signal });
  const [stdout, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  return { stdout, exitCode };
};
