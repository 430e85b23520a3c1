import { expect, test } from "bun:test";
import { join } from "node:path";
import { type Disk, systemDisk } from "../../../foundation/src/files/disk.ts";
import { AppendFile } from "../../src/disk/append-file.ts";
import { freshDirectory } from "../support/stores.ts";

/** A disk that finishes flushing a file when the test says so, and records which descriptors are closed. */
function slowMedium() {
  const done: (() => void)[] = [];
  const closed: number[] = [];
  const fsync = (_fd: number, callback: (error: null) => void) => void done.push(() => callback(null));
  const closeSync = (fd: number) => {
    closed.push(fd);
    systemDisk.closeSync(fd);
  };
  return { done, closed, disk: { ...systemDisk, fsync: fsync as Disk["fsync"], closeSync } };
}

const noFault = (error: Error) => {
  throw error;
};

test("a file that is closed while the medium works is closed once, when it is done", () => {
  const { done, closed, disk } = slowMedium();
  const file = new AppendFile(disk, join(freshDirectory(), "a"));
  file.create(Buffer.from("1\n"));
  file.syncSoon(noFault);
  file.close();
  expect(closed).toHaveLength(0);
  done[0]?.();
  expect(closed).toHaveLength(1);
});

test("no descriptor is closed twice when a file is closed and opened again while the medium works", () => {
  const { done, closed, disk } = slowMedium();
  const file = new AppendFile(disk, join(freshDirectory(), "a"));
  file.create(Buffer.from("1\n"));
  file.syncSoon(noFault);
  file.close();
  file.append("2");
  file.syncSoon(noFault);
  done[0]?.(); // of the first descriptor, while the second is in progress
  file.close();
  expect(closed).toHaveLength(1);
  done[1]?.();
  expect(closed).toHaveLength(2);
  expect(new Set(closed).size).toBe(2);
});
