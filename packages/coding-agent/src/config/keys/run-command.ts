import { onAbort } from "@pintle/ai";
import type { RunCommand } from "./secret-value.ts";

const MAX_OUTPUT_BYTES = 64 * 1024;

/** Runs a `!command` of the user's own configuration. Its stderr is dropped, because it may quote the secret. */
export const runSecretCommand: RunCommand = async (command, { signal }) => {
  const { ProcessRunner } = await import("@pintle/exec/processes");
  const processRunner = new ProcessRunner({ environment: process.env });
  const child = processRunner.start({ command: ["sh", "-c", command], cwd: process.cwd(), stderr: "ignore" });
  const forget = onAbort(signal, () => child.stop("aborted", 0));
  try {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (let chunk = await child.stdout.read(); chunk && bytes < MAX_OUTPUT_BYTES; chunk = await child.stdout.read()) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
    void child.stdout.discardRest(); // never rejects: a broken pipe just ends the read
    const { code = 1 } = await child.exited;
    return { stdout: Buffer.concat(chunks).toString("utf8"), exitCode: code };
  } finally {
    forget();
  }
};
