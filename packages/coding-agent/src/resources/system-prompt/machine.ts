import { basename } from "node:path";
import { chooseShell, StartError } from "@pintle/exec";
import { facetsOf } from "../../tools/tool-facets.ts";

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { darwin: "macOS", linux: "Linux", win32: "Windows" };

/** Describes the machine: the operating system, and the shell if the model can run commands. */
export function describeMachine(tools: readonly { name: string }[], cwd: string, shellPath?: string): string {
  const system = `Operating system: ${SYSTEMS[process.platform] ?? process.platform} (${process.arch})`;
  const canRun = tools.some(({ name }) => facetsOf(name).access?.kind === "execute");
  const shell = canRun ? shellName(cwd, shellPath) : undefined;
  return shell === undefined ? system : `${system}, shell: ${shell}`;
}

function shellName(cwd: string, shellPath: string | undefined): string | undefined {
  try {
    return basename(chooseShell({ which: (name) => Bun.which(name, { cwd }) ?? undefined }, cwd, shellPath));
  } catch (error) {
    if (error instanceof StartError) return undefined; // the first command reports it
    throw error;
  }
}
