import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSystemError } from "@pintle/foundation";
import { scratchPrefix } from "@pintle/foundation/left-behind";
import type { Settings } from "../../config/settings/settings.ts";

export interface ArtifactLimits {
  /** The most bytes that one file may have. */
  each: number;
  /** The most bytes that all files of a session may have. */
  total: number;
}

export function artifactLimits(settings: Pick<Settings, "get">): ArtifactLimits {
  return { each: settings.get("tools.maxSpillBytes"), total: settings.get("tools.maxSpillTotalBytes") };
}

interface Kept {
  path: string;
  number: number;
  bytes: number;
}

const NAME = /^(\d+)\.[^/]+\.log$/;

/**
 * Stores files that belong to a session but are not part of it: complete outputs of commands. Above the limit, the
 * oldest are deleted.
 */
export class Artifacts {
  readonly #sessionFile: () => string | undefined;
  readonly #limits: () => ArtifactLimits;
  #count = 0;
  #scratch: Promise<string> | undefined;

  constructor(sessionFile: () => string | undefined, limits: () => ArtifactLimits) {
    this.#sessionFile = sessionFile;
    this.#limits = limits;
  }

  /** Returns a new path next to the session file or, for sessions in memory, in a private temporary directory. */
  async newPath(tool: string): Promise<string> {
    const directory = await this.#directory();
    const kept = await keptIn(directory);
    await this.#makeRoom(kept);
    this.#count = Math.max(this.#count, ...kept.map(({ number }) => number)) + 1;
    return join(directory, `${this.#count}.${tool}.log`);
  }

  /** Returns the private temporary directory of a session in memory, which ends with the session. */
  scratch(): Promise<string> {
    this.#scratch ??= makeScratch();
    return this.#scratch;
  }

  /** Deletes the files of a session in memory. */
  async dispose(): Promise<void> {
    const scratch = await this.#scratch?.catch(() => undefined); // the caller that needed it received the error
    this.#scratch = undefined;
    if (scratch === undefined) return;
    scratches.delete(scratch);
    await rm(scratch, { recursive: true, force: true });
  }

  async #makeRoom(kept: readonly Kept[]): Promise<void> {
    const { each, total } = this.#limits();
    let bytes = kept.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of kept.toSorted((a, b) => a.number - b.number)) {
      if (bytes <= Math.max(0, total - each)) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
  }

  async #directory(): Promise<string> {
    const file = this.#sessionFile();
    if (file === undefined) return this.scratch();
    const directory = file.replace(/\.jsonl$/, "");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return directory;
  }
}

/** The temporary directories of this process: a call that outlives its session may still create one. */
const scratches = new Set<string>();
let isExitWatched = false;

async function makeScratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), scratchPrefix(process.pid))); // mkdtemp uses mode 0700
  if (!isExitWatched) process.once("exit", removeScratches);
  isExitWatched = true;
  scratches.add(path);
  return path;
}

function removeScratches(): void {
  for (const path of scratches) rmSync(path, { recursive: true, force: true });
}

async function keptIn(directory: string): Promise<Kept[]> {
  const names = (await readdir(directory)).filter((name) => NAME.test(name));
  const files = names.map(async (name) => {
    const path = join(directory, name);
    return { path, number: Number(NAME.exec(name)?.[1]), bytes: await sizeOf(path) };
  });
  return Promise.all(files);
}

/** Returns 0 if the file no longer exists. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return 0;
  }
}
