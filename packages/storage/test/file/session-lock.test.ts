import { afterEach, describe, expect, jest, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { where } from "../../../coding-agent/test/support/where.ts";
import { systemDisk } from "../../../foundation/src/files/disk.ts";
import { SessionLock } from "../../src/file/session-lock.ts";
import { user } from "../support/messages.ts";
import { startChild, stopChildren } from "../support/start-child.ts";
import {
  freshDirectory,
  header,
  messageEntry,
  recordsOf,
  THIS_PROCESS,
  testStore,
  texts,
  writeSession,
} from "../support/stores.ts";

const lockPath = (path: string) => join(dirname(path), `.${basename(path)}.lock`);
const context = { disk: systemDisk, process: THIS_PROCESS, now: Date.now };
const IN_USE = "Session is in use by another process (pid";

afterEach(stopChildren);

function sessionFile(): string {
  return writeSession([header(), messageEntry("a", null, user("one"))]);
}

function writeLock(path: string, record: object, ageMs = 0): void {
  writeFileSync(
    lockPath(path),
    JSON.stringify({ host: THIS_PROCESS.host, startedAt: "x", token: "abc123", ...record }),
  );
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(lockPath(path), seconds, seconds);
}

async function deadPid(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

describe("a session that another process writes", () => {
  test("cannot be opened, but read; and at once when that process was killed", async () => {
    const { store, home } = testStore();
    const path = sessionFile();
    const writer = startChild("write", home, path, "from the child");
    expect(await writer.hear()).toEqual({ file: path });
    expect(JSON.parse(readFileSync(lockPath(path), "utf8"))).toMatchObject({
      pid: writer.pid,
      host: THIS_PROCESS.host,
    });
    await expect(store.open(path)).rejects.toThrow(`${IN_USE} ${writer.pid})`);
    const reader = await store.open(path, { access: "read" });
    expect(texts(reader.buildContext().messages)).toEqual(["one", "from the child"]);

    await writer.kill();
    const session = await store.open(path);
    session.appendMessage(user("mine"));
    expect(texts(session.buildContext().messages)).toEqual(["one", "from the child", "mine"]);
    const late = startChild("write", home, path);
    expect(await late.hear()).toEqual({ error: `${IN_USE} ${process.pid})` });
    session.close();
    expect(readdirSync(dirname(path))).toEqual(["session.jsonl"]);
  });

  test("has one lock, by whatever name it is opened", async () => {
    const { store, home } = testStore();
    const path = sessionFile();
    const link = join(freshDirectory(), "link.jsonl");
    symlinkSync(path, link);
    const writer = startChild("write", home, path);
    await writer.hear();
    await expect(store.open(link)).rejects.toThrow(`${IN_USE} ${writer.pid})`);
    await writer.kill();
    const session = await store.open(link);
    session.appendMessage(user("through the link"));
    session.close();
    expect(recordsOf(path)).toHaveLength(3);
    expect(session.sessionFile).toBe(link);
  });

  test("twice in one process is once too often", async () => {
    const { store } = testStore();
    const path = sessionFile();
    const session = await store.open(path);
    await expect(store.open(path)).rejects.toThrow(`${IN_USE} ${process.pid})`);
    session.close();
    (await store.open(path)).close();
  });
});

describe("a lock", () => {
  test("of a process that has ended is free", async () => {
    const path = sessionFile();
    writeLock(path, { pid: await deadPid() });
    SessionLock.acquire(path, context).release();
    expect(existsSync(lockPath(path))).toBe(false);
  });

  where(process.platform === "linux", "needs Linux").test(
    "of a process that was killed and not reaped yet is free",
    async () => {
      const path = sessionFile();
      // The child ends after the shell has become another program, which never reaps it.
      const parent = Bun.spawn(["sh", "-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdout: "pipe" });
      const { value } = await parent.stdout.getReader().read();
      const pid = Number(new TextDecoder().decode(value));
      while (!readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")) await Bun.sleep(1);
      writeLock(path, { pid });
      SessionLock.acquire(path, context).release();
      expect(existsSync(lockPath(path))).toBe(false);
      parent.kill();
    },
  );

  test("of our own pid, but an earlier process, is free", () => {
    const path = sessionFile();
    writeLock(path, { pid: process.pid, startedAt: "earlier" });
    SessionLock.acquire(path, context).release();
    expect(existsSync(lockPath(path))).toBe(false);
  });

  test("of another machine is valid until it was not refreshed for 15 seconds", async () => {
    const path = sessionFile();
    writeLock(path, { pid: await deadPid(), host: "elsewhere" }, 14_000);
    expect(() => SessionLock.acquire(path, context)).toThrow(IN_USE);
    writeLock(path, { pid: 1, host: "elsewhere" }, 16_000);
    SessionLock.acquire(path, context).release();
  });

  test("of a live process is valid until it was not refreshed for 15 seconds", () => {
    const path = sessionFile();
    writeLock(path, { pid: 1 }, 14_000);
    expect(() => SessionLock.acquire(path, context)).toThrow(`${IN_USE} 1)`);
    writeLock(path, { pid: 1 }, 16_000);
    SessionLock.acquire(path, context).release();
  });

  test("that cannot be read is valid while it is recent", () => {
    const path = sessionFile();
    writeFileSync(lockPath(path), "");
    expect(() => SessionLock.acquire(path, context)).toThrow(IN_USE);
    utimesSync(lockPath(path), 1, 1);
    SessionLock.acquire(path, context).release();
  });

  test("is kept young by its owner, made again when removed, and lost when another took it", () => {
    const path = sessionFile();
    const lock = SessionLock.acquire(path, context);
    utimesSync(lockPath(path), 1, 1);
    lock.refresh();
    expect(Date.now() - statSync(lockPath(path)).mtimeMs).toBeLessThan(10_000);
    systemDisk.unlinkSync(lockPath(path));
    lock.refresh();
    expect(lock.isLost).toBe(false);
    expect(existsSync(lockPath(path))).toBe(true);

    utimesSync(lockPath(path), 1, 1);
    const other = SessionLock.acquire(path, context);
    lock.refresh();
    expect(lock.isLost).toBe(true);
    lock.release();
    expect(existsSync(lockPath(path))).toBe(true);
    other.release();
    expect(readdirSync(dirname(path))).toEqual(["session.jsonl"]);
  });

  test("works without hard links", () => {
    const path = sessionFile();
    const linkSync = () => {
      throw Object.assign(new Error("no links here"), { code: "EPERM", errno: -1 });
    };
    const poor = { ...context, disk: { ...systemDisk, linkSync } };
    const lock = SessionLock.acquire(path, poor);
    expect(() => SessionLock.acquire(path, poor)).toThrow(`${IN_USE} ${process.pid})`);
    lock.release();
    expect(readdirSync(dirname(path))).toEqual(["session.jsonl"]);
  });

  test("left by a dead process goes to exactly one of many that want it", async () => {
    const directory = freshDirectory();
    const pid = await deadPid();
    const paths = Array.from({ length: 60 }, (_, index) => {
      const path = join(directory, `${index}.jsonl`);
      // Some were left by a process that died while it took over another one's lock.
      if (index % 3 !== 0)
        writeLock(path, index % 3 === 1 ? { pid } : { pid: 1, host: "elsewhere" }, index % 3 === 1 ? 0 : 20_000);
      if (index % 4 === 1)
        writeFileSync(`${lockPath(path)}.abc123`, JSON.stringify({ ...THIS_PROCESS, pid, token: "dead77" }));
      return path;
    });
    const racers = Array.from({ length: 6 }, () => startChild("race", String(Date.now() + 1500), ...paths));
    const won = (await Promise.all(racers.map((racer) => racer.hear()))) as string[][];
    expect(won.flat().sort()).toEqual([...paths].sort());
    for (const [index, racer] of racers.entries()) {
      for (const path of won[index] as string[]) {
        expect(JSON.parse(readFileSync(lockPath(path), "utf8")).pid).toBe(racer.pid);
      }
    }
  });
});

describe("a second writer that no lock stopped", () => {
  test("is noticed before anything is appended; the whole conversation continues in a new file", async () => {
    const { store, home, notices } = testStore();
    const session = store.create();
    session.setName("mine");
    session.appendMessage(user("one"));
    const path = session.sessionFile as string;
    const id = session.sessionId;
    systemDisk.unlinkSync(lockPath(path)); // another program cleaned up
    const rival = startChild("write", home, path, "rival");
    expect(await rival.hear()).toEqual({ file: path });
    const stolen = readFileSync(path);

    session.appendMessage(user("two"));
    const moved = session.sessionFile as string;
    expect(moved).not.toBe(path);
    expect(dirname(moved)).toBe(dirname(path));
    expect(session.sessionId).not.toBe(id);
    expect(session.header.parentSession).toBe(path);
    expect(readFileSync(path).equals(stolen)).toBe(true);
    expect(notices).toEqual([
      {
        level: "warning",
        message: `Session file ${path} was changed by another process. This conversation continues in ${moved}.`,
      },
    ]);
    session.appendMessage(user("three"));

    rival.say("rival again");
    expect(await rival.hear()).toMatchObject({ file: path });
    expect(recordsOf(path)).toHaveLength(5);
    session.close();
    const again = await store.open(moved);
    expect(again.name).toBe("mine");
    expect(texts(again.buildContext().messages)).toEqual(["one", "two", "three"]);
    again.close();
  });

  test("that replaced the file, even by one of the same size, is noticed", async () => {
    const { store } = testStore();
    const session = store.create();
    session.appendMessage(user("one"));
    const path = session.sessionFile as string;
    const copy = `${path}.copy`;
    writeFileSync(copy, readFileSync(path));
    systemDisk.renameSync(copy, path);
    session.appendMessage(user("two"));
    expect(session.sessionFile).not.toBe(path);
    expect(recordsOf(path)).toHaveLength(2);
    expect(recordsOf(session.sessionFile as string)).toHaveLength(3);
    session.close();
  });

  test("that took the lock over keeps the file, even before it has written", async () => {
    jest.useFakeTimers();
    try {
      const { store } = testStore();
      const session = store.create();
      session.appendMessage(user("one"));
      const path = session.sessionFile as string;
      utimesSync(lockPath(path), 1, 1); // as if this process had slept for long
      const rival = SessionLock.acquire(path, context);
      jest.advanceTimersByTime(5_000);
      session.appendMessage(user("two"));
      expect(session.sessionFile).not.toBe(path);
      expect(recordsOf(path)).toHaveLength(2);
      expect(existsSync(lockPath(path))).toBe(true);
      rival.release();
      session.close();
    } finally {
      jest.useRealTimers();
    }
  });
});
