import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { removeLeftBehind, scratchPrefix } from "../../src/files/left-behind.ts";

const ID = "0191e17d-f274-4150-82ab-112ad8b2b71f";
const HASH = "ab".repeat(32);
const TOKEN = "0123456789ab";
const DAYS = 24 * 60 * 60;

/** Creates a file or directory that was last written this many seconds ago. */
function put(path: string, ageSeconds: number, isDirectory = false): string {
  if (isDirectory) mkdirSync(path, { recursive: true });
  else writeFileSync(path, "x");
  const at = Date.now() / 1000 - ageSeconds;
  utimesSync(path, at, at);
  return path;
}

test("old temporary files of ours go; fresh ones, and whatever else there is, stay", async () => {
  using scratch = scratchDirectory();
  const home = join(scratch.path, "home");
  const sessions = join(home, "sessions", "project");
  const blobs = join(home, "blobs");
  for (const directory of [sessions, blobs]) mkdirSync(directory, { recursive: true });
  const old = [
    put(join(home, `.pintle-${ID}.tmp`), 2 * DAYS),
    put(join(sessions, `.a.jsonl.${ID}.tmp`), 2 * DAYS),
    put(join(sessions, `a.jsonl.lock.${TOKEN}.tmp`), 2 * DAYS),
    put(join(sessions, `a.jsonl.lock.${TOKEN}.${TOKEN}.tmp`), 2 * DAYS),
    put(join(blobs, `.${HASH}.${ID}.tmp`), 2 * DAYS),
  ];
  const kept = [
    put(join(home, `.pintle-${ID.replace("0", "1")}.tmp`), 60),
    put(join(home, "settings.json"), 2 * DAYS),
    put(join(home, "notes.tmp"), 2 * DAYS),
    put(join(home, ".pintle-mine.tmp"), 2 * DAYS),
    put(join(sessions, "a.jsonl"), 2 * DAYS),
    put(join(sessions, "a.jsonl.lock"), 2 * DAYS),
    put(join(blobs, HASH), 2 * DAYS),
    put(join(home, `.pintle-${ID.replace("0", "2")}.tmp`), 2 * DAYS, true),
  ];
  const places = {
    directories: [home, blobs, join(home, "nowhere")],
    trees: [join(home, "sessions")],
    temporary: home,
  };
  expect((await removeLeftBehind(places)).sort()).toEqual(old.sort());
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  expect(await removeLeftBehind(places)).toEqual([]);
});

test("directories for outputs go when they are old and their process is dead", async () => {
  using scratch = scratchDirectory();
  const temporary = scratch.path;
  const child = Bun.spawn(["true"]);
  await child.exited;
  const dead = put(join(temporary, `${scratchPrefix(child.pid)}abcdef`), 2 * DAYS, true);
  writeFileSync(join(dead, "1.bash.log"), "x");
  put(dead, 2 * DAYS, true);
  put(join(temporary, `${scratchPrefix(child.pid)}ABCDEF`), 60, true);
  put(join(temporary, `${scratchPrefix(process.pid)}abcdef`), 2 * DAYS, true);
  put(join(temporary, "pintle-mine"), 2 * DAYS, true);
  symlinkSync(scratch.path, join(temporary, `${scratchPrefix(child.pid)}linked`));
  expect(await removeLeftBehind({ directories: [], trees: [], temporary })).toEqual([dead]);
  expect(readdirSync(temporary)).not.toContain(basename(dead));
  expect(readdirSync(temporary)).toHaveLength(4);
});
