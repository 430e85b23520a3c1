import type { ToolResult } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { OutputSpill } from "@pintle/exec";
import { type ResultContext, toToolResult } from "../tools/tool-result.ts";
import type { ResourceServer } from "./resource-server.ts";

/** A folder is also a resource and may contain any number of files. */
const MAX_FILES = 20;
const ONE_MORE = { type: "text", text: "[one more part with data was left out]" };

/** Reads a resource. Text and images become content, other data becomes files. Throws an Error that says why it cannot be read. */
export async function readResource(
  server: ResourceServer,
  uri: string,
  context: ResultContext,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { contents } = await server.ask("resources/read", { uri }, signal);
  const parts: unknown[] = Array.isArray(contents) ? contents : [];
  if (parts.length === 0) throw new Error(`The server has nothing at ${uri}`);
  const content: unknown[] = [];
  let files = 0;
  for (const part of parts) {
    signal.throwIfAborted();
    if (isFile(part)) files += 1;
    content.push(isFile(part) && files > MAX_FILES ? ONE_MORE : await toBlock(part, context));
  }
  return toToolResult({ content }, context);
}

/** Returns whether a part is data that is stored in a file of its own. */
function isFile(part: unknown): boolean {
  return isRecord(part) && typeof part.text !== "string" && typeof part.blob === "string" && !isImage(part.mimeType);
}

function isImage(mimeType: unknown): mimeType is string {
  return typeof mimeType === "string" && mimeType.startsWith("image/");
}

async function toBlock(part: unknown, context: ResultContext): Promise<unknown> {
  if (!isRecord(part)) return part;
  const { blob, mimeType, uri, text } = part;
  if (typeof text === "string") return { type: "text", text };
  if (typeof blob !== "string") return { type: "resource", resource: part };
  if (isImage(mimeType)) return { type: "image", data: blob, mimeType };
  const bytes = Buffer.from(blob, "base64");
  const kind = typeof mimeType === "string" ? mimeType : "data";
  const path = await save(bytes, context);
  const where = path === undefined ? "which could not be stored" : `saved as ${path}`;
  return { type: "text", text: `[${String(uri)}: ${kind}, ${bytes.length} bytes, ${where}]` };
}

/** Returns undefined if the data cannot be written, for example because the disk is full. */
async function save(bytes: Buffer, { settings, newSpillPath }: ResultContext): Promise<string | undefined> {
  const maxBytes = settings.get("tools.maxSpillBytes");
  if (bytes.length > maxBytes) return undefined;
  const file = new OutputSpill({ newPath: newSpillPath, maxBytes });
  await file.write(bytes);
  return (await file.finish()).path;
}
