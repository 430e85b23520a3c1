import { type BigIntStats, createReadStream, lstatSync, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PRIVATE_FILE } from "@pintle/foundation";
import { LayerError } from "./layer-error.ts";

/** Identifies one state of a file: every write, rename and change of its mode sets the time of change. */
type Fingerprint = string;

const fingerprint = ({ ino, ctimeNs, size, mode }: BigIntStats): Fingerprint => `${ino} ${ctimeNs} ${size} ${mode}`;

/** The state of each file of a copy when it was made. */
export class CopyManifest {
  readonly #files: ReadonlyMap<string, Fingerprint>;

  private constructor(files: ReadonlyMap<string, Fingerprint>) {
    this.#files = files;
  }

  /** Records the files of a new copy. */
  static async record(copy: string, path: string): Promise<CopyManifest> {
    const files = new Map<string, Fingerprint>();
    const visit = (relative: string) => {
      for (const entry of readdirSync(join(copy, relative), { withFileTypes: true })) {
        const name = join(relative, entry.name);
        if (entry.isDirectory()) {
          visit(name);
          continue;
        }
        const stats = lstatSync(join(copy, name), { bigint: true, throwIfNoEntry: false });
        if (stats) files.set(name, fingerprint(stats));
      }
    };
    visit("");
    const file = await open(path, "wx", PRIVATE_FILE);
    try {
      const lines = [...files].map((line) => `${JSON.stringify(line)}\n`);
      await file.writeFile([...lines, `${JSON.stringify(files.size)}\n`].join(""));
      await file.sync();
    } finally {
      await file.close();
    }
    return new CopyManifest(files);
  }

  /**
   * Reads it again after a restart. Rejects with LayerError if it is incomplete, because it would report files as new.
   */
  static async read(path: string): Promise<CopyManifest> {
    const files = new Map<string, Fingerprint>();
    let count: unknown;
    try {
      for await (const line of createInterface({ input: createReadStream(path) })) {
        const value: unknown = JSON.parse(line);
        if (Array.isArray(value)) files.set(String(value[0]), String(value[1]));
        else count = value;
      }
    } catch (cause) {
      throw new LayerError(`${path} cannot be read`, { cause });
    }
    if (count !== files.size) throw new LayerError(`${path} is damaged`);
    return new CopyManifest(files);
  }

  has(relative: string): boolean {
    return this.#files.has(relative);
  }

  isSame(relative: string, stats: BigIntStats): boolean {
    return this.#files.get(relative) === fingerprint(stats);
  }
}
