import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { sharedTemporary } from "../../../../coding-agent/test/support/other-user.ts";

const PIECE = new Uint8Array(64 * 1024);

/** Mounts a separate file system that can become full. Needs the right to mount. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Returns undefined if this process may not mount. */
  static make(megabytes: number): SmallDisk | undefined {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
    const path = scratchPath(sharedTemporary());
    const { exitCode } = Bun.spawnSync([
      "mount",
      "-t",
      "tmpfs",
      "-o",
      `size=${megabytes}m,mode=755`,
      "pintle-test",
      path,
    ]);
    if (exitCode === 0) return new SmallDisk(path);
    rmSync(path, { recursive: true });
    return undefined;
  }

  get #filler(): string {
    return join(this.path, "filler");
  }

  /** Writes until not a single byte fits. */
  fill(): void {
    const file = openSync(this.#filler, "a");
    try {
      for (;;) writeSync(file, PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  [Symbol.dispose](): void {
    // Unmounted lazily, so that a process that is still ending there does not keep the mount point.
    const { exitCode, stderr } = Bun.spawnSync(["umount", "--lazy", this.path]);
    if (exitCode !== 0) throw new Error(`umount ${this.path}: ${stderr.toString()}`);
    rmSync(this.path, { recursive: true });
  }
}
