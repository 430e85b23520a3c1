import fs from "node:fs";
import { type Disk, systemDisk } from "../../../foundation/src/files/disk.ts";

/** Records what reaches the disk, in order. */
export function recordingDisk(events: string[]): Disk {
  return {
    ...systemDisk,
    writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
      events.push("write");
      return fs.writeSync(...args);
    }) as Disk["writeSync"],
    fsyncSync: (fd) => {
      events.push("fsync");
      fs.fsyncSync(fd);
    },
    renameSync: (from, to) => {
      events.push("rename");
      fs.renameSync(from, to);
    },
  };
}

export interface DiskUse {
  bytesRead: number;
  bytesWritten: number;
  writes: number;
  calls: Record<string, number>;
}

/** Counts every call and the bytes written. */
export function countingDisk(use: DiskUse): Disk {
  const counted = Object.entries(systemDisk).map(([name, call]) => [
    name,
    (...args: unknown[]) => {
      use.calls[name] = (use.calls[name] ?? 0) + 1;
      const result = (call as (...args: unknown[]) => unknown)(...args);
      if (name === "readSync") use.bytesRead += result as number;
      if (name === "readFileSync") use.bytesRead += (result as Buffer | string).length;
      if (name === "writeSync") {
        use.bytesWritten += result as number;
        use.writes += 1;
      }
      return result;
    },
  ]);
  return Object.fromEntries(counted) as Disk;
}

/** A disk that accepts at most this many bytes per write. */
export function shortWritingDisk(bytesPerWrite: number): Disk {
  const writeSync = (fd: number, bytes: Uint8Array, offset: number, length: number) =>
    fs.writeSync(fd, bytes, offset, Math.min(length, bytesPerWrite));
  return { ...systemDisk, writeSync: writeSync as Disk["writeSync"] };
}
