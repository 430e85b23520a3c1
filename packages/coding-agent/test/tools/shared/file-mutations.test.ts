import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { filesInMutation, withFileMutationQueue } from "../../../src/tools/shared/file-mutations.ts";

let scratch: ReturnType<typeof scratchDirectory>;

beforeEach(() => {
  scratch = scratchDirectory();
  mkdirSync(join(scratch.path, "real"));
  symlinkSync("real", join(scratch.path, "link"));
});

afterEach(() => scratch[Symbol.dispose]());

test("one at a time for a file under all its names, in order; other files do not wait", async () => {
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const enter = (name: string, path: string, wait?: Promise<void>) =>
    withFileMutationQueue(join(scratch.path, path), async () => {
      log.push(`${name} starts`);
      await wait;
      log.push(`${name} ends`);
      return name;
    });
  const first = enter("first", "real/new", gate.promise);
  const second = enter("second", "link/new");
  const third = enter("third", "real/new");
  expect(await enter("other", "real/other")).toBe("other");
  expect(log).toEqual(["first starts", "other starts", "other ends"]);
  gate.resolve();
  expect(await Promise.all([first, second, third])).toEqual(["first", "second", "third"]);
  expect(log.slice(3)).toEqual(["first ends", "second starts", "second ends", "third starts", "third ends"]);
  expect(filesInMutation()).toBe(0);
});

test("work that arrives after the first has ended still waits for the others", async () => {
  const path = join(scratch.path, "real/file");
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  const first = withFileMutationQueue(path, async () => void log.push("first"));
  const second = withFileMutationQueue(path, async () => {
    await gate.promise;
    log.push("second");
  });
  await first;
  const late = withFileMutationQueue(path, async () => void log.push("late"));
  gate.resolve();
  await Promise.all([second, late]);
  expect(log).toEqual(["first", "second", "late"]);
});

test("a failure is its own caller's and leaves no entry", async () => {
  const path = join(scratch.path, "real/file");
  const failing = withFileMutationQueue(path, () => Promise.reject(new Error("mine")));
  const next = withFileMutationQueue(path, async () => "fine");
  await expect(failing).rejects.toThrow("mine");
  expect(await next).toBe("fine");
  expect(filesInMutation()).toBe(0);
});
