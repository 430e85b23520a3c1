import type { ComparedFile, ComparedFiles } from "../../file-changes/index.ts";

/**
 * Compares the old and new versions of files, so that a tool can stage them with `pushPendingAction` and hosts can apply any part
 * of the change. Loads the comparison with the first call.
 */
export async function compareFiles(files: readonly ComparedFile[], toolName: string): Promise<ComparedFiles> {
  const { compareFiles: compare } = await import("../../file-changes/index.ts");
  return compare(files, toolName);
}
