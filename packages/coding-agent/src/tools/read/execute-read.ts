import { extname } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { untilAborted } from "@pintle/ai";
import { canonicalPath, fileError, isMissing, type OpenedFile, openRegularFile } from "@pintle/foundation";
import type { ReadArguments, ReadDetails } from "../read.ts";
import { listDirectory } from "../shared/directory-listing.ts";
import { missingFileError } from "../shared/missing-file.ts";
import { displayPath } from "../shared/paths.ts";
import { resolveReadablePath } from "../shared/readable-path.ts";
import { formatBytes, outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { orderMarkBytes, SNIFFED_BYTES, sniffContent, utf8Chunks } from "./content-kind.ts";
import { notebookText } from "./notebook.ts";
import { readImage } from "./read-image.ts";
import { readText, type ShownText, type TextRequest } from "./read-text.ts";

const LISTED_ENTRIES = 500;
/** Page size of long text if no number of lines is requested. Slightly longer text is returned whole. */
const PAGE_BYTES = 18 * 1024;
const WHOLE_BYTES = 24 * 1024;
const MAX_NOTEBOOK_BYTES = 16 * 1024 * 1024;

interface ReadTask {
  /** The path with links resolved. */
  path: string;
  request: Omit<TextRequest, "fileOffset">;
  signal: AbortSignal;
  context: ToolContext;
}

export async function execute(
  { path, offset = 1, limit, lineNumbers = false }: ReadArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<ReadDetails>> {
  const cwd = context.cwd();
  const uris = context.workplace?.().uris;
  if (uris?.resolves(path)) {
    context.approved?.require(id, path, path);
    const bytes = Buffer.from(await uris.read(path, { id, signal }));
    const limits = outputLimits(context.settings);
    const request = {
      shownPath: path,
      firstLine: Math.max(1, offset),
      lineCount: limit,
      limits,
      isNumbered: lineNumbers,
    };
    return textResult("text", await readText([bytes], { ...request, ...pageOf(bytes.length), fileOffset: undefined }));
  }
  const absolutePath = await untilAborted(resolveReadablePath(path, cwd), signal);
  const shownPath = displayPath(absolutePath, cwd);
  const limits = outputLimits(context.settings);
  const request = { shownPath, firstLine: Math.max(1, offset), lineCount: limit, limits, isNumbered: lineNumbers };
  try {
    const realPath = canonicalPath(absolutePath);
    context.approved?.require(id, realPath, shownPath);
    const open = await context.workplace?.().files?.read(realPath, { id, signal });
    if (open !== undefined) {
      const bytes = Buffer.from(open);
      return textResult(
        "text",
        await readText([bytes], { ...request, ...pageOf(bytes.length), fileOffset: undefined }),
      );
    }
    return await readPath({ path: realPath, request, signal, context });
  } catch (error) {
    if (isMissing(error)) throw await missingFileError("read", absolutePath, cwd, error);
    throw fileError("read", shownPath, error);
  }
}

async function readPath(task: ReadTask): Promise<ToolResult<ReadDetails>> {
  const { path, request, signal } = task;
  const opened = await openUnlessAborted(path, request.shownPath, signal);
  if (!("special" in opened)) {
    try {
      return await readFile(opened, task);
    } finally {
      const closed = opened.handle.close();
      if (!signal.aborted) await closed; // After an abort, closing might wait for a read that never returns.
    }
  }
  if (opened.special !== "directory") throw new Error(`${request.shownPath} is a ${opened.special}, not a file.`);
  const limit = request.lineCount ?? LISTED_ENTRIES;
  const listing = listDirectory(path, { ...request.limits, limit, signal, shownPath: request.shownPath });
  const { text } = await untilAborted(listing, signal);
  return { content: [{ type: "text", text }], details: { kind: "directory" } };
}

async function openUnlessAborted(
  path: string,
  shownPath: string,
  signal: AbortSignal,
): ReturnType<typeof openRegularFile> {
  const opening = openRegularFile(path, shownPath);
  try {
    return await untilAborted(opening, signal);
  } catch (error) {
    // Close the file if it opens after the abort.
    const closeLate = async (late: Awaited<typeof opening>) => "handle" in late && (await late.handle.close());
    void opening.then(closeLate).catch(() => {});
    throw error;
  }
}

async function readFile(file: OpenedFile, task: ReadTask): Promise<ToolResult<ReadDetails>> {
  const { path, request, signal, context } = task;
  const { handle, stats } = file;
  const start = await readStart(file, signal);
  const content = sniffContent(start);
  if (content.kind === "binary") {
    const type = `${content.name}, ${content.mimeType}, ${formatBytes(stats.size)}`;
    throw new Error(`${request.shownPath} is a binary file (${type}) and cannot be read as text.`);
  }
  if (content.kind === "image") {
    const load = () => untilAborted(handle.readFile(), signal);
    const { mimeType } = content;
    return readImage({ shownPath: request.shownPath, mimeType, size: stats.size, load }, context);
  }
  if (extname(path) === ".ipynb" && stats.size <= MAX_NOTEBOOK_BYTES) {
    const text = notebookText(await untilAborted(handle.readFile("utf8"), signal));
    if (text !== undefined) {
      const bytes = Buffer.from(text);
      const paged = { ...request, ...pageOf(bytes.length), fileOffset: undefined };
      return textResult("notebook", await readText([bytes], paged));
    }
  }
  const textStart = { bytes: start, encoding: content.encoding };
  const fileOffset = content.encoding === "utf-8" ? orderMarkBytes(textStart) : undefined;
  const paged = { ...request, ...pageOf(stats.size), fileOffset };
  return textResult("text", await readText(utf8Chunks(handle, textStart, signal), paged));
}

function pageOf(size: number): Pick<TextRequest, "pageBytes"> {
  return size > WHOLE_BYTES ? { pageBytes: PAGE_BYTES } : {};
}

function textResult(kind: "text" | "notebook", { text, truncation }: ShownText): ToolResult<ReadDetails> {
  return { content: [{ type: "text", text }], details: { kind, ...(truncation && { truncation }) } };
}

async function readStart({ handle }: OpenedFile, signal: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(SNIFFED_BYTES);
  const { bytesRead } = await untilAborted(handle.read(buffer, 0, buffer.length, 0), signal);
  return buffer.subarray(0, bytesRead);
}
