import {
  chmodSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { delay } from "@pintle/ai";
import { isMissing, isSystemError, PRIVATE_DIRECTORY, PRIVATE_FILE, replaceFile } from "@pintle/foundation";
import { LayerError } from "./layer-error.ts";

export const LAYER_STRENGTHS = ["overlay", "copy"] as const;
export type LayerStrength = (typeof LAYER_STRENGTHS)[number];

/** The description of a layer on disk, written once the layer works. */
export interface LayerRecord {
  strength: LayerStrength;
  /** The workspace's directories, without links. */
  roots: string[];
}

const RECORD = "layer.json";
/** A file that is as old as the layer. */
const MARK = "started";
const VERSION = 1;

/**
 * The folder in which a layer keeps its files, one numbered folder per directory of the workspace. It survives the process
 * that created it.
 */
export class LayerFolder {
  readonly path: string;

  constructor(directory: string, id: string) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new LayerError(`Not an id of a layer: ${JSON.stringify(id)}`);
    this.path = join(directory, id);
  }

  /** Returns undefined if there is no layer, or only one whose start was interrupted. */
  read(): LayerRecord | undefined {
    let text: string;
    try {
      text = readFileSync(join(this.path, RECORD), "utf8");
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    const record = parse(text);
    if (!record) throw new LayerError(`${join(this.path, RECORD)} is damaged`);
    return record;
  }

  write({ strength, roots }: LayerRecord): void {
    const content = Buffer.from(`${JSON.stringify({ version: VERSION, strength, roots })}\n`);
    replaceFile(join(this.path, RECORD), { content, isPrivate: true, fsync: true });
  }

  /** Removes what an interrupted start has left, and creates the folders of a new layer. */
  async create(strength: LayerStrength, roots: readonly string[]): Promise<void> {
    this.remove();
    mkdirSync(this.path, { recursive: true, mode: PRIVATE_DIRECTORY });
    await this.#markStart();
    for (const at of roots.keys()) {
      for (const name of FOLDERS[strength]) mkdirSync(this.of(at, name), { recursive: true, mode: PRIVATE_DIRECTORY });
    }
  }

  /** The folder `name` of the workspace's directory with this number. */
  of(at: number, name: string): string {
    return join(this.path, String(at), name);
  }

  /**
   * When the layer was started, in nanoseconds, by the clock that file systems use. A file without a later time of change is
   * unchanged since then.
   */
  startedAt(): bigint {
    return changedAt(join(this.path, MARK));
  }

  /**
   * That clock advances in steps of some milliseconds. Waits for the next step, so that later changes have a later time.
   */
  async #markStart(): Promise<void> {
    const [mark, clock] = [join(this.path, MARK), join(this.path, "clock")];
    writeFileSync(mark, "", { mode: PRIVATE_FILE });
    do {
      await delay(1);
      rmSync(clock, { force: true });
      writeFileSync(clock, "", { mode: PRIVATE_FILE });
    } while (changedAt(clock) <= changedAt(mark));
    rmSync(clock);
  }

  /** Removes the layer. Never follows a link. */
  remove(): void {
    try {
      rmSync(this.path, { recursive: true, force: true });
    } catch (error) {
      if (!isSystemError(error)) throw error;
      openDirectories(this.path); // a command may have created directories that even their owner cannot list
      rmSync(this.path, { recursive: true, force: true });
    }
  }
}

const FOLDERS: Record<LayerStrength, readonly string[]> = {
  overlay: ["lower", "upper", "work"],
  copy: ["copy"],
};

function changedAt(path: string): bigint {
  return lstatSync(path, { bigint: true }).ctimeNs;
}

function parse(text: string): LayerRecord | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { version, strength, roots } = Object(record) as Record<string, unknown>;
  const isKnown = version === VERSION && LAYER_STRENGTHS.some((one) => one === strength);
  if (!isKnown || !Array.isArray(roots) || roots.length === 0) return undefined;
  return roots.every((root) => typeof root === "string" && root.startsWith("/"))
    ? { strength: strength as LayerStrength, roots }
    : undefined;
}

function openDirectories(path: string): void {
  chmodSync(path, PRIVATE_DIRECTORY);
  const directories = readdirSync(path, { withFileTypes: true }).filter((entry: Dirent) => entry.isDirectory());
  for (const { name } of directories) openDirectories(join(path, name));
}
