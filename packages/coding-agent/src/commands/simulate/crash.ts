import { writeSync } from "node:fs";
import { delay } from "@pintle/ai";

/** Ends this process as the scenario specifies. */
export async function crash({
  code = 1,
  signal,
  stderr,
}: {
  code?: number;
  signal?: string;
  stderr?: string;
}): Promise<never> {
  if (stderr !== undefined) writeSync(2, stderr);
  if (signal === undefined) process.exit(code);
  process.kill(process.pid, signal);
  for (;;) await delay(1000); // until the signal arrives
}
