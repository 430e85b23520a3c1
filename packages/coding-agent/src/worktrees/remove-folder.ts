import { chmod, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const OWNER_ONLY = 0o700;

/** Removes a folder even if it contains read-only folders, as package caches often do. Never follows a link. */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeWritable(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, OWNER_ONLY);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
  }
}
