import { join } from "node:path";
import { type ListingReader, mapLimited, pathsBelow } from "./listing-reader.ts";

/** A folder inside the sessions directory, with one folder per deletion that contains the file under its old relative path. */
export function trashDirectory(sessionDir: string): string {
  return join(sessionDir, ".trash");
}

/** Returns the session files that were deleted. */
export async function deletedPaths(reader: ListingReader, sessionDir: string): Promise<string[]> {
  const trash = trashDirectory(sessionDir);
  const { directories } = await reader.names(trash);
  return (await mapLimited(directories, (name) => pathsBelow(reader, join(trash, name)))).flat();
}
