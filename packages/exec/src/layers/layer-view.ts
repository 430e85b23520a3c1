import type { ProcessRunner } from "../processes/process-runner.ts";
import { LayerError } from "./layer-error.ts";
import type { LayerFolder, LayerStrength } from "./layer-folder.ts";
import { LayerNamespace } from "./namespace.ts";
import { PlainCopy } from "./plain-copy.ts";
import { namespacePrograms } from "./programs.ts";

/** Access to a layer. */
export interface LayerView {
  /** The layer's directories as this process sees them, in the order of the workspace's. */
  readonly roots: readonly string[];
  readonly missing: readonly string[];
  command(command: readonly [string, ...string[]], options: CommandPlace): [string, ...string[]];
  close(): void;
}

export interface CommandPlace {
  cwd: string;
  /** True if the command is a bubblewrap command, which sets the directory and drops rights itself. */
  isSandboxed: boolean;
}

export interface ViewRequest {
  processRunner: ProcessRunner;
  folder: LayerFolder;
  strength: LayerStrength;
  roots: readonly string[];
}

/** Uses namespaces if available; a copy works without them. Rejects with LayerError and StartError. */
export async function openView(request: ViewRequest): Promise<LayerView> {
  const programs = namespacePrograms();
  try {
    if ("missing" in programs) throw new LayerError(`${programs.missing} is missing`);
    return await LayerNamespace.open(request, programs);
  } catch (error) {
    if (request.strength !== "copy" || !(error instanceof LayerError)) throw error;
    return new PlainCopy(request);
  }
}
