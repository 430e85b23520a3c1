import { join } from "node:path";
import { plainLine } from "@pintle/foundation";
import { readTextFile } from "../places/read-text-file.ts";

const MAX_BYTES = 256 * 1024;

export interface SystemFiles {
  /** SYSTEM.md, which replaces the built-in text. */
  base?: string;
  /** APPEND_SYSTEM.md, which follows it. */
  append?: string;
}

/** The project's files take precedence over the user's. */
export function readSystemFiles(
  places: { cwd: string; home: string; within: string | undefined },
  warn: (text: string) => void,
): SystemFiles {
  const folders = [
    { folder: join(places.cwd, ".pintle"), within: places.within },
    { folder: places.home, within: undefined },
  ];
  const read = (name: string) => {
    for (const { folder, within } of folders) {
      const path = join(folder, name);
      const file = readTextFile(path, { maxBytes: MAX_BYTES, within });
      if (file && "problem" in file) warn(`${plainLine(path)}: ${file.problem}`);
      else if (file && file.text.trim() !== "")
        return file.isCut ? `${file.text}\n[Cut at ${MAX_BYTES / 1024} KB]` : file.text;
    }
    return undefined;
  };
  const [base, append] = [read("SYSTEM.md"), read("APPEND_SYSTEM.md")];
  return { ...(base !== undefined && { base: base.trim() }), ...(append !== undefined && { append: append.trim() }) };
}
