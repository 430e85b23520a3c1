import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** As `sha256sum --check` reads it. */
export function renderChecksums(files) {
  return files
    .map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`)
    .join("");
}
