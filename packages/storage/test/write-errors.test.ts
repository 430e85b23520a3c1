import { describe, expect, test } from "bun:test";
import fs, { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { scratchPath } from "../../../test/support/scratch-directory.mjs";
import { where } from "../../coding-agent/test/support/where.ts";
import { type Disk, systemDisk } from "../../foundation/src/files/disk.ts";
import { loadSessionFile } from "../src/file/session-loader.ts";
import { assistant, imageData, user } from "./support/messages.ts";
import { recordsOf, stateOf, testStore, texts } from "./support/stores.ts";
import { recordingDisk, shortWritingDisk } from "./support/test-disk.ts";

/** A file system with hardly any space, if this process may mount one. */
function smallDisk(): (Disposable & { path: string }) | undefined {
  const path = scratchPath();
  const isMounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", path]).exitCode === 0;
  const remove = () => {
    if (isMounted) Bun.spawnSync(["umount", "-l", path]);
    rmSync(path, { recursive: true, force: true });
  };
  if (isMounted) return { path, [Symbol.dispose]: remove };
  remove();
  return undefined;
}
const mounting = where(
  (() => {
    using disk = smallDisk();
    return disk !== undefined;
  })(),
  "needs root, to mount a file system",
);

/** While it is full, every write goes to the device that never has space, so the error is the system's own. */
function fillableDisk(): { disk: Disk; setFull(isFull: boolean): void } {
  let isFull = false;
  const writeSync = ((fd: number, ...rest: [Uint8Array, number, number]) => {
    if (!isFull) return fs.writeSync(fd, ...rest);
    const full = fs.openSync("/dev/full", "w");
    try {
      return fs.writeSync(full, ...rest);
    } finally {
      fs.closeSync(full);
    }
  }) as Disk["writeSync"];
  return {
    disk: { ...systemDisk, writeSync },
    setFull: (value) => {
      isFull = value;
    },
  };
}

describe("a full disk", () => {
  mounting.test("costs nothing but the file, and that comes back when there is room", async () => {
    using small = smallDisk() as Disposable & { path: string };
    const { store, notices } = testStore({ home: small.path });
    const session = store.create();
    session.appendMessage(user("first"));
    const path = session.sessionFile as string;
    const filler = join(small.path, "filler");
    fill(filler);
    const before = readFileSync(path);

    for (const text of ["second ".repeat(2000), "third", "fourth"]) session.appendMessage(user(text));
    session.appendMessage({ ...user(""), content: [{ type: "image", data: imageData(1), mimeType: "image/png" }] });
    session.sync();
    expect(notices).toEqual([{ level: "error", message: expect.stringMatching(/Cannot write session file .*ENOSPC/) }]);
    expect(texts(session.buildContext().messages).map((text) => text.slice(0, 6))).toEqual([
      "first",
      "second",
      "third",
      "fourth",
      "<image",
    ]);
    expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);

    rmSync(filler);
    session.appendMessage(assistant("fifth"));
    expect(notices.slice(1)).toEqual([{ level: "info", message: `Session file ${path} can be written again.` }]);
    session.appendMessage(assistant("sixth"));
    session.close();
    const again = await store.open(path);
    expect(stateOf(again)).toMatchObject({ context: JSON.parse(JSON.stringify(session.buildContext())) });
    expect(again.entries()).toHaveLength(7);
    again.close();
  });

  mounting.test("appends what is missing when there is no room for a second copy", async () => {
    using small = smallDisk() as Disposable & { path: string };
    const { store, notices } = testStore({ home: small.path });
    const session = store.create();
    session.appendMessage(user("x".repeat(30_000)));
    const path = session.sessionFile as string;
    const { ino } = statSync(path);
    const spare = join(small.path, "spare");
    writeFileSync(spare, Buffer.alloc(12_000));
    fill(join(small.path, "filler"));
    session.appendMessage(user("two ".repeat(1500)));
    session.appendMessage(user("three"));
    expect(notices.map(({ level }) => level)).toEqual(["error"]);
    rmSync(spare);
    session.appendMessage(user("four"));
    expect(notices.map(({ level }) => level)).toEqual(["error", "info"]);
    expect(statSync(path).ino).toBe(ino);
    session.appendMessage(user("five"));
    session.close();
    const again = await store.open(path, { access: "read" });
    expect(stateOf(again)).toEqual(stateOf(session));
    expect(again.entries()).toHaveLength(5);
  });

  test("is reported once, and everything is stored when it is over", async () => {
    const { disk, setFull } = fillableDisk();
    const { store, notices } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    const path = session.sessionFile as string;
    setFull(true);
    for (const text of ["two", "three"]) session.appendMessage(user(text));
    expect(recordsOf(path)).toHaveLength(2);
    expect(notices.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      expect.stringMatching(/^error: Cannot write session file .*ENOSPC.*continues in memory/),
    ]);
    setFull(false);
    session.sync();
    expect(recordsOf(path)).toHaveLength(4);
    setFull(true);
    session.appendMessage(user("four"));
    expect(notices.map(({ level }) => level)).toEqual(["error", "info", "error"]);
    setFull(false);
    session.close();
    expect(stateOf(await store.open(path, { access: "read" }))).toEqual(stateOf(session));
  });

  test("from the beginning: the session works, and its file is created when there is room", async () => {
    const { disk, setFull } = fillableDisk();
    const { store, notices } = testStore({ disk });
    setFull(true);
    const session = store.create();
    session.appendMessage(user("one"));
    session.appendMessage(assistant("two"));
    expect(notices).toHaveLength(1);
    setFull(false);
    session.appendMessage(user("three"));
    session.close();
    expect(recordsOf(session.sessionFile as string)).toHaveLength(4);
    expect(readdirSync(dirname(session.sessionFile as string))).toEqual([basename(session.sessionFile as string)]);
  });

  test("a session can be opened there, and read", async () => {
    const { disk, setFull } = fillableDisk();
    const { store, notices } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    session.close();
    setFull(true);
    const again = await store.open(session.sessionFile as string);
    again.appendMessage(user("two"));
    expect(texts(again.buildContext().messages)).toEqual(["one", "two"]);
    expect(notices).toHaveLength(1);
    setFull(false);
    again.close();
    expect(recordsOf(session.sessionFile as string)).toHaveLength(3);
  });

  test("a branch made there lives in memory until there is room", () => {
    const { disk, setFull } = fillableDisk();
    const { store } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    const two = session.appendMessage(user("two"));
    setFull(true);
    const branch = session.branchBefore(two.id);
    branch.appendMessage(user("other two"));
    setFull(false);
    for (const each of [branch, session]) each.close();
    expect(recordsOf(branch.sessionFile as string)).toHaveLength(3);
  });

  test("an old file is still kept when it can be written at last", async () => {
    const { disk, setFull } = fillableDisk();
    const { store } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    session.close();
    const path = session.sessionFile as string;
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":3', '"version":2'));
    const old = readFileSync(path);
    const again = await store.open(path);
    setFull(true);
    again.appendMessage(user("two"));
    setFull(false);
    again.appendMessage(user("three"));
    again.close();
    expect(readFileSync(`${path}.bak`).equals(old)).toBe(true);
    expect(recordsOf(path)).toHaveLength(4);
  });
});

/** Fills the remaining space. */
function fill(path: string): void {
  const fd = fs.openSync(path, "w");
  try {
    for (let size = 4096; size >= 1; ) {
      try {
        fs.writeSync(fd, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    fs.closeSync(fd);
  }
}

describe("a directory that cannot be written", () => {
  test("costs nothing but the file, and that comes back with the directory", async () => {
    const { store, notices, home } = testStore();
    const session = store.create();
    session.appendMessage(user("one"));
    const path = session.sessionFile as string;
    renameSync(join(home, "sessions"), join(home, "aside"));
    writeFileSync(join(home, "sessions"), "a file, which holds for root too");
    session.appendMessage(user("two"));
    session.appendMessage(user("three"));
    session.sync();
    expect(notices.map(({ level }) => level)).toEqual(["error"]);
    rmSync(join(home, "sessions"));
    session.appendMessage(user("four"));
    expect(notices.map(({ level }) => level)).toEqual(["error", "info"]);
    session.close();
    expect(stateOf(await store.open(path, { access: "read" }))).toEqual(stateOf(session));
  });

  test("recreates a file that disappeared", () => {
    const { store, notices } = testStore();
    const session = store.create();
    session.appendMessage(user("one"));
    const path = session.sessionFile as string;
    rmSync(dirname(path), { recursive: true });
    session.appendMessage(user("two"));
    session.appendMessage(user("three"));
    session.close();
    expect(recordsOf(path)).toHaveLength(4);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(notices).toEqual([{ level: "warning", message: `Session file ${path} had disappeared and was recreated.` }]);
  });
});

describe("writes", () => {
  test("that take only a part are completed", async () => {
    const { store } = testStore({ disk: shortWritingDisk(7) });
    const session = store.create();
    session.appendMessage(user("grüße 🌍"));
    session.appendMessage(assistant("two"));
    const clone = session.clone();
    for (const each of [session, clone]) {
      each.close();
      expect(stateOf(await store.open(each.sessionFile as string, { access: "read" }))).toEqual(stateOf(each));
    }
  });

  for (const missing of [1, 0]) {
    test(`that failed with ${missing} bytes missing count as done`, async () => {
      let isFailing = false;
      const writeSync = ((fd: number, bytes: Uint8Array, offset: number, length: number) => {
        if (!isFailing) return fs.writeSync(fd, bytes, offset, length);
        fs.writeSync(fd, bytes, offset, length - missing);
        throw Object.assign(new Error("EIO: i/o error, write"), { code: "EIO", errno: -5 });
      }) as Disk["writeSync"];
      const { store, notices } = testStore({ disk: { ...systemDisk, writeSync } });
      const session = store.create();
      session.appendMessage(user("one"));
      isFailing = true;
      session.appendMessage(user("two"));
      expect(await storedTexts(session.sessionFile as string)).toEqual(["one", "two"]);
      session.appendMessage(user("three"));
      isFailing = false;
      session.appendMessage(user("four"));
      session.close();
      expect(recordsOf(session.sessionFile as string)).toHaveLength(5);
      expect(await storedTexts(session.sessionFile as string)).toEqual(["one", "two", "three", "four"]);
      expect(notices).toEqual([]);
    });
  }

  test("of what was missing are not repeated when only some of them succeed", async () => {
    let writesLeft = Number.POSITIVE_INFINITY;
    let canRename = true;
    const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", errno: -28 });
    const disk: Disk = {
      ...systemDisk,
      writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
        writesLeft -= 1;
        if (writesLeft < 0) throw noSpace();
        return fs.writeSync(...args);
      }) as Disk["writeSync"],
      renameSync: (from, to) => {
        if (!canRename) throw noSpace();
        fs.renameSync(from, to);
      },
    };
    const { store, notices } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    canRename = false;
    writesLeft = 0;
    for (const text of ["two", "three"]) session.appendMessage(user(text));
    writesLeft = 2; // the copy that cannot be renamed, and the first of the missing lines
    session.appendMessage(user("four"));
    expect(await storedTexts(session.sessionFile as string)).toEqual(["one", "two"]);
    writesLeft = Number.POSITIVE_INFINITY;
    session.appendMessage(user("five"));
    session.close();
    expect(await storedTexts(session.sessionFile as string)).toEqual(["one", "two", "three", "four", "five"]);
    expect(recordsOf(session.sessionFile as string)).toHaveLength(6);
    expect(notices.map(({ level }) => level)).toEqual(["error", "info"]);
  });

  test("that fail at any point, in any call, lose nothing in memory and nothing that was stored", async () => {
    const { home } = testStore();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 12 }), fc.nat(300), async (failAt, failures, part) => {
        runs += 1;
        const faulty = faultyDisk(failAt, failures, part);
        const { store, notices } = testStore({ home: join(home, String(runs)), disk: faulty });
        const session = store.create();
        const words = ["a", "b", "c", "d", "e", "f"];
        const stored: string[][] = [];
        for (const word of words) {
          session.appendMessage(user(word));
          stored.push(await storedTexts(session.sessionFile as string));
        }
        expect(texts(session.buildContext().messages)).toEqual(words);
        for (const [index, found] of stored.entries()) {
          const isPrefix = words.slice(0, found.length).every((word, at) => word === found[at]);
          expect(isPrefix && found.length <= index + 1).toBe(true);
          expect(found.length).toBeGreaterThanOrEqual(stored[index - 1]?.length ?? 0);
        }
        faulty.heal();
        session.close();
        expect(await storedTexts(session.sessionFile as string)).toEqual(words);
        const { entries } = await loadSessionFile(systemDisk, session.sessionFile as string);
        expect(entries).toHaveLength(words.length);
        expect(notices.filter(({ level }) => level === "error").length).toBeLessThanOrEqual(failures);
      }),
      { numRuns: 400 },
    );
  });
});

/** Some of the modifying calls fail; a failed write leaves a part of its bytes behind. */
function faultyDisk(failAt: number, failures: number, part: number): Disk & { heal(): void } {
  let calls = 0;
  let isHealed = false;
  const mayFail = (name: string, before: (args: unknown[]) => void = () => {}) => {
    const call = (systemDisk as unknown as Record<string, (...args: unknown[]) => unknown>)[name] as (
      ...args: unknown[]
    ) => unknown;
    return [
      name,
      (...args: unknown[]) => {
        calls += 1;
        if (isHealed || calls <= failAt || calls > failAt + failures) return call(...args);
        before(args);
        throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO", errno: -5, syscall: name });
      },
    ];
  };
  const leavePart = ([fd, bytes, offset, length]: unknown[]) => {
    fs.writeSync(fd as number, bytes as Uint8Array, offset as number, Math.min(part, length as number));
  };
  return {
    ...systemDisk,
    ...Object.fromEntries(
      ["openSync", "fsyncSync", "renameSync", "mkdirSync", "linkSync", "statSync"].map((name) => mayFail(name)),
    ),
    ...Object.fromEntries([mayFail("writeSync", leavePart)]),
    heal: () => {
      isHealed = true;
    },
  };
}

/** Returns what another process would find now. */
async function storedTexts(path: string): Promise<string[]> {
  try {
    const session = await testStore().store.open(path, { access: "read" });
    return texts(session.buildContext().messages);
  } catch (error) {
    if ((error as Error).message.startsWith("Session file not found")) return [];
    throw error;
  }
}

describe("fsync", () => {
  const eventsOf = (fsync: "turn" | "always" | "never") => {
    const events: string[] = [];
    const { store } = testStore({ disk: recordingDisk(events), fsync });
    const session = store.create();
    session.appendMessage(user("one"));
    session.appendMessage(assistant("two"));
    session.sync();
    session.sync();
    session.appendMessage(user("three"));
    session.close();
    const lock = events.shift();
    expect(lock).toBe("write");
    return events.join(" ");
  };

  test("turn: when asked, if there is something new; the first time with the directory", () => {
    expect(eventsOf("turn")).toBe("write write fsync fsync write fsync");
  });
  test("always: with each entry", () => {
    expect(eventsOf("always")).toBe("write fsync fsync write fsync write fsync");
  });
  test("never", () => {
    expect(eventsOf("never")).toBe("write write write");
  });
});

describe("fsync at the end of a turn", () => {
  /** A disk whose flush ends when the test says so. */
  function slowMedium() {
    const begun: ((error?: NodeJS.ErrnoException) => void)[] = [];
    const events: string[] = [];
    const disk: Disk = {
      ...recordingDisk(events),
      fsync: ((fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
        events.push("begin");
        begun.push((error) => {
          if (!error) fs.fsyncSync(fd); // fails if another program has closed it
          done(error ?? null);
        });
      }) as Disk["fsync"],
      closeSync: (fd) => {
        events.push("close");
        fs.closeSync(fd);
      },
    };
    const { store, notices } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("one"));
    events.length = 0;
    const finish = (error?: NodeJS.ErrnoException) => begun.shift()?.(error);
    return { session, events, finish, notices };
  }

  test("nothing waits for it, and later writes follow", () => {
    const { session, events, finish } = slowMedium();
    session.syncSoon();
    session.appendMessage(assistant("two"));
    session.syncSoon();
    session.syncSoon();
    expect(events).toEqual(["begin", "write"]);
    finish();
    expect(events).toEqual(["begin", "write", "fsync", "close", "begin"]); // the directory, then the rest
    finish();
    session.syncSoon();
    expect(events).toHaveLength(5);
  });

  test("closing waits for it, including a flush in progress", () => {
    const { session, events, finish } = slowMedium();
    session.syncSoon();
    session.close();
    expect(events.filter((event) => event !== "close")).toEqual(["begin", "fsync", "fsync"]);
    const closed = events.length;
    finish(); // the file is not closed while the system is using it
    expect(events.slice(closed)).toEqual(["close"]);
  });

  test("a failing disk is reported, and the file is rewritten", async () => {
    const { session, finish, notices } = slowMedium();
    session.syncSoon();
    finish(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO", errno: -5, syscall: "fsync" }));
    expect(notices).toMatchObject([{ level: "error", message: expect.stringContaining("EIO") }]);
    session.appendMessage(assistant("two"));
    expect(notices).toMatchObject([{ level: "error" }, { level: "info" }]);
    expect(await storedTexts(session.sessionFile as string)).toEqual(["one", "two"]);
  });
});
