import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { canonicalPath, errorCode, fileError, isMissing } from "@pintle/foundation";
import type { LsArguments, LsDetails } from "./ls.ts";
import { listDirectory } from "./shared/directory-listing.ts";
import { missingFileError } from "./shared/missing-file.ts";
import { displayPath } from "./shared/paths.ts";
import { resolveReadablePath } from "./shared/readable-path.ts";
import { outputLimits } from "./shared/truncate.ts";
import type { ToolContext } from "./tool-context.ts";

const DEFAULT_LIMIT = 500;

export async function execute(
  { path = ".", limit = DEFAULT_LIMIT }: LsArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<LsDetails>> {
  const cwd = context.cwd();
  const absolutePath = await resolveReadablePath(path, cwd);
  const shownPath = displayPath(absolutePath, cwd);
  try {
    const real = canonicalPath(absolutePath);
    context.approved?.require(id, real, shownPath);
    const options = { ...outputLimits(context.settings), limit, signal, shownPath };
    const { text, hasMore } = await listDirectory(real, options);
    return { content: [{ type: "text", text }], details: hasMore ? { entryLimitReached: limit } : {} };
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") throw new Error(`${shownPath} is a file, not a directory. Use read.`);
    if (isMissing(error)) throw await missingFileError("list", absolutePath, cwd, error);
    throw fileError("list", shownPath, error);
  }
}
