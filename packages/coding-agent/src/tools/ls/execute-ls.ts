import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { fileError } from "../../files/file-errors.ts";
import { errorCode, isMissing } from "../../files/system-error.ts";
import type { LsArguments, LsDetails } from "../ls.ts";
import { listDirectory } from "../shared/directory-listing.ts";
import { missingFileError } from "../shared/missing-file.ts";
import { displayPath } from "../shared/paths.ts";
import { resolveReadablePath } from "../shared/readable-path.ts";
import { outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";

const DEFAULT_LIMIT = 500;

export async function execute(
  { path = ".", limit = DEFAULT_LIMIT }: LsArguments,
  { signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<LsDetails>> {
  const cwd = context.cwd();
  const absolutePath = await resolveReadablePath(path, cwd);
  try {
    const { text, hasMore } = await listDirectory(absolutePath, { ...outputLimits(context.settings), limit, signal });
    return { content: [{ type: "text", text }], details: hasMore ? { entryLimitReached: limit } : {} };
  } catch (error) {
    if (errorCode(error) === "ENOTDIR")
      throw new Error(`${displayPath(absolutePath, cwd)} is not a directory; use read.`);
    if (isMissing(error)) throw await missingFileError("list", absolutePath, cwd, error);
    throw fileError("list", displayPath(absolutePath, cwd), error);
  }
}
