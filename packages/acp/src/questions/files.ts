import { errorText } from "@pintle/ai";
import type { AcpClient } from "../client/acp-client.ts";
import type { Frame } from "../gateway-link.ts";
import { pathOfClient } from "./client-path.ts";

type Answer = { content: string } | { notOpen: true } | { error: string } | Record<never, never>;

const ON_DISK: Answer = { notOpen: true };

/**
 * Reads and writes files of the session's directories through the editor, as far as the editor declared that it can. If the
 * editor cannot read a file (a directory, an image, a new file), it has no unsaved text for it, and the file on disk is used.
 * If the editor refuses a write, the write fails.
 */
export async function askForFile(
  { client, request, roots }: { client: AcpClient; request: Frame; roots: readonly string[] },
  signal: AbortSignal,
): Promise<Answer> {
  const path = pathOfClient(String(request.path), roots);
  if (path === undefined) return ON_DISK;
  if (request.method === "read") {
    if (!client.able.readsFiles) return ON_DISK;
    const content = await client.readFile(path, signal).catch(() => undefined);
    return content === undefined ? ON_DISK : { content };
  }
  if (!client.able.writesFiles) return ON_DISK;
  try {
    await client.writeFile(path, String(request.content), signal);
    return {};
  } catch (error) {
    return { error: errorText(error) };
  }
}
