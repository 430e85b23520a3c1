import { writeSync } from "node:fs";
import { errorCode, logLine } from "@pintle/foundation";

const FULL_PIPE_WAIT_MS = 5;

/** Writes the whole text to stdout. A pipe may be full for a while, and a file is appended to. */
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

/** Writes a line to stderr, for the user or a log. */
export function complain(text: string): void {
  logLine(text);
}

/** Writes a line to stderr without masking, for addresses that the user needs with their token. */
export function announce(text: string): void {
  console.error(`pintle: ${text}`);
}
