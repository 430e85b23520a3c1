import { existsSync } from "node:fs";
import { findBubblewrap } from "../sandbox/bubblewrap.ts";

/** Not looked up on PATH, for the reason that bubblewrap is not. */
const DIRECTORIES = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/wrappers/bin", "/run/current-system/sw/bin"];

export interface NamespacePrograms {
  bubblewrap: string;
  unshare: string;
  nsenter: string;
}

/** Returns the programs that put commands into namespaces, or the name of one that is missing. */
export function namespacePrograms(): NamespacePrograms | { missing: string } {
  if (process.platform !== "linux") return { missing: "Linux" };
  const [bubblewrap, unshare, nsenter] = [findBubblewrap(), findProgram("unshare"), findProgram("nsenter")];
  if (bubblewrap === undefined) return { missing: "bubblewrap" };
  if (unshare === undefined) return { missing: "unshare" };
  if (nsenter === undefined) return { missing: "nsenter" };
  return { bubblewrap, unshare, nsenter };
}

function findProgram(name: string): string | undefined {
  return DIRECTORIES.map((directory) => `${directory}/${name}`).find((path) => existsSync(path));
}
