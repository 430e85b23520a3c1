import { writeSync } from "node:fs";
import { errorCode } from "../files/system-error.ts";

const FULL_PIPE_WAIT_MS = 5;

/** Writes all of it to stdout, whatever that is: a pipe may be full for a while, and a file is appended to. */
export async function printText(text: string | Uint8Array): Promise<void> {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (errorCode(error) === "EPIPE") return; // as in `pintle -p … | head -1`
      if (errorCode(error) !== "EAGAIN") throw error;
      await Bun.sleep(FULL_PIPE_WAIT_MS);
    }
  }
}

/** A line for the person or the log that reads stderr. */
export function complain(text: string): void {
  console.error(`pintle: ${text}`);
}
