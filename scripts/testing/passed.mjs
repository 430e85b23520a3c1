// Records which checks have passed with their current inputs, so that they need not run again.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../paths.mjs";

/**
 * @param {string} stamp the file that remembers the inputs of the last run that passed
 * @param {string[]} inputs files and folders that decide the result, relative to the repository
 * @returns {{ isCurrent: boolean, keep(): void }} `keep` is for a run that has passed
 */
export function lastPassed(stamp, inputs) {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap(filesBelow)) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  const now = hash.digest("hex");
  return {
    isCurrent: readStamp(stamp) === now,
    keep() {
      mkdirSync(dirname(stamp), { recursive: true });
      writeFileSync(stamp, now);
    },
  };
}

function filesBelow(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .filter((name) => !name.startsWith(".") && name !== "__pycache__")
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}

function readStamp(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
