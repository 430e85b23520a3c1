import { existsSync } from "node:fs";
import { join } from "node:path";
import { nativeDirectory } from "./native-directory.ts";

/** The oldest version with every option that we use. */
const OLDEST_SYSTEM_VERSION = 13;

const EXECUTABLE = process.platform === "win32" ? "rg.exe" : "rg";

/** Returns the path of the bundled ripgrep, or undefined if this installation has none. */
export async function findOwnRipgrep(directory = nativeDirectory()): Promise<string | undefined> {
  const path = directory === undefined ? await packagedRipgrep() : join(directory, EXECUTABLE);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** Whether this output of `rg --version` is from a version that can replace the bundled one. */
export function isUsableVersion(answer: string): boolean {
  const major = /^ripgrep (\d+)\./.exec(answer)?.[1];
  return major !== undefined && Number(major) >= OLDEST_SYSTEM_VERSION;
}

async function packagedRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined; // thrown by the import when the package for this platform is not installed
  }
}
