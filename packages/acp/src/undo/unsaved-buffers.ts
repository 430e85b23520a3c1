import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isRecord } from "@pintle/ai";
import { CommandError } from "@pintle/gateway";
import type { AcpClient } from "../client/acp-client.ts";
import { pathOfClient, realPathOf } from "../questions/client-path.ts";

/** How long the editor may take for all files of a rewind. */
const PATIENCE_MS = 10_000;
/** Editors open each file that they are asked for, so they are asked for a few at a time. */
const AT_ONCE = 8;

export interface BufferPlace {
  client: AcpClient;
  cwd: string;
  roots: readonly string[];
}

/**
 * Returns which of these files have other text in the editor than on disk. The engine compares only files on disk, so it cannot
 * see an edit that is not saved. Rejects if the editor does not answer in time.
 */
export async function unsavedFiles(
  paths: readonly string[],
  { client, cwd, roots }: BufferPlace,
  signal: AbortSignal,
): Promise<string[]> {
  if (!client.able.readsFiles) return [];
  const base = realPathOf(cwd);
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  const either = AbortSignal.any([signal, deadline]);
  const waiting = [...paths];
  const unsaved: string[] = [];
  const work = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const real = resolve(base, path);
      const known = pathOfClient(real, roots);
      if (known === undefined) continue;
      const buffer = await client.readFile(known, either).catch(() => undefined); // it is not open
      if (signal.aborted) throw new CommandError("cancelled", "The request was cancelled");
      if (deadline.aborted) {
        throw new CommandError("busy", `The editor did not report in time whether ${path} has unsaved changes`);
      }
      const onDisk = textAt(real);
      if (buffer !== undefined && onDisk !== undefined && comparable(buffer) !== comparable(onDisk)) unsaved.push(path);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return unsaved.sort();
}

/** Returns an empty text if there is no file, and undefined for anything that an editor cannot show as the same text. */
function textAt(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
  } catch (error) {
    return isRecord(error) && error.code === "ENOENT" ? "" : undefined;
  }
}

/** Editors keep line endings and the byte order mark apart from the text. */
function comparable(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}
