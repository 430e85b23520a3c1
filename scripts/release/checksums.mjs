import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** In the format of `sha256sum --check`. */
export function renderChecksums(files) {
  return files
    .map((file) => `${createHash("sha256").update(readFileSync(file)).digest("hex")}  ${basename(file)}\n`)
    .join("");
}
