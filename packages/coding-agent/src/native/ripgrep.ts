import { existsSync } from "node:fs";
import { join } from "node:path";
import { nativeDirectory } from "./native-directory.ts";

/** The oldest version that knows everything we ask of it. */
const OLDEST_SYSTEM_VERSION = 13;

const EXECUTABLE = process.platform === "win32" ? "rg.exe" : "rg";

/** The ripgrep that comes with pintle. undefined: this installation has none. */
export async function findOwnRipgrep(directory = nativeDirectory()): Promise<string | undefined> {
  const path = directory === undefined ? await packagedRipgrep() : join(directory, EXECUTABLE);
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** Whether the answer to `rg --version` is that of a ripgrep that can be used in place of ours. */
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
