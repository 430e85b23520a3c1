import type { ProcessRunner } from "../process-runner.ts";
import { StartError } from "../start-error.ts";

/**
 * Returns the shell for commands: the configured one, otherwise `bash` from the PATH, otherwise `sh`. A configured shell that is
 * missing is an error.
 */
export function chooseShell(processRunner: Pick<ProcessRunner, "which">, cwd: string, configured?: string): string {
  const candidates = configured ? [configured] : ["bash", "sh"];
  for (const name of candidates) {
    const path = processRunner.which(name, cwd);
    if (path) return path;
  }
  throw new StartError("program_not_found", `Shell not found: ${candidates.join(" or ")}`);
}
