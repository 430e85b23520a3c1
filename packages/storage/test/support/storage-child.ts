// A second process for the tests: `lock-child.ts <job> <argument…>`. Answers with lines of JSON on stdout.
import fs from "node:fs";
import { createSystemClock } from "@pintle/agent";
import { systemDisk } from "../../../foundation/src/files/disk.ts";
import { describeProcess } from "../../../foundation/src/files/process-identity.ts";
import { SessionLock } from "../../src/file/session-lock.ts";
import { SessionStore } from "../../src/session-store.ts";
import { imageData, user } from "./messages.ts";

const identity = describeProcess();
/** Writes synchronously: a job that never waits would never flush queued output. */
const say = (value: unknown) => fs.writeSync(1, `${JSON.stringify(value)}\n`);

function openStore(home: string): SessionStore {
  return new SessionStore({
    cwd: "/home/project",
    sessionDir: `${home}/sessions`,
    blobDir: `${home}/blobs`,
    clock: createSystemClock(),
    process: identity,
    notify: (notice) => say({ notice }),
  });
}

const jobs: Record<string, (...args: string[]) => Promise<void>> = {
  /** Opens a session, appends the given messages and stays. */
  async write(home, path, ...texts) {
    try {
      const session = await openStore(home as string).open(path as string);
      for (const text of texts) session.appendMessage(user(text));
      say({ file: session.sessionFile });
      for await (const text of console)
        say({ appended: session.appendMessage(user(text)).id, file: session.sessionFile });
    } catch (error) {
      say({ error: (error as Error).message });
    }
  },

  /** Appends as fast as it can, including images, and prints the id of each entry once it is stored. */
  async flood(home) {
    const session = openStore(home as string).create();
    say({ file: session.sessionFile });
    for (let count = 0; ; count += 1) {
      const image = { type: "image" as const, data: imageData(count), mimeType: "image/png" };
      const entry = session.appendMessage(
        count % 5 === 4 ? { ...user(""), content: [image] } : user("x".repeat(count % 3000)),
      );
      say(entry.id);
    }
  },

  /** Tries to lock each file, in all processes at the same time, and keeps the locks that it gets. */
  async race(startAt, ...paths) {
    const won: string[] = [];
    for (const [index, path] of paths.entries()) {
      while (Date.now() < Number(startAt) + index * 8);
      try {
        SessionLock.acquire(path, { disk: systemDisk, process: identity, now: Date.now });
        won.push(path);
      } catch {
        // another process has it
      }
    }
    say(won);
    for await (const _ of console);
  },
};

const [job, ...args] = process.argv.slice(2);
await jobs[job as string]?.(...args);
