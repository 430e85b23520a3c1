import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../agent/test/support/tools.ts";
import { type LsArguments, lsTool } from "../../src/tools/ls.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession({ settings: { "tools.maxOutputBytes": 1024 } });
});

afterEach(() => session.close());

function ls(args: LsArguments = {}) {
  return session.call(lsTool, args);
}

test("is alphabetical, with dotfiles, and marks directories and links to them", async () => {
  session.write({ "b.ts": "", "A.ts": "", "a.ts": "", ".env": "", "src/x": "" });
  mkdirSync(join(session.cwd, ".git"));
  symlinkSync("src", join(session.cwd, "link"));
  symlinkSync("nowhere", join(session.cwd, "broken"));
  const result = await ls();
  expect(textOf(result)).toBe(".env\n.git/\nA.ts\na.ts\nb.ts\nbroken\nlink/\nsrc/");
  expect(result.details).toEqual({});
  expect(textOf(await ls({ path: "src" }))).toBe("x");
});

test("an empty directory", async () => {
  expect(textOf(await ls({ path: "@." }))).toBe("(empty directory)");
});

test("a limit that is reached is reported, in the text and in the details", async () => {
  session.write({ a: "", b: "", c: "" });
  const result = await ls({ limit: 2 });
  expect(textOf(result)).toBe("a\nb\n\n[2 of 3 entries are shown. Use limit=4 for more.]");
  expect(result.details).toEqual({ entryLimitReached: 2 });
  expect(textOf(await ls({ limit: 3 }))).toBe("a\nb\nc");
});

test("stays within the bytes of a result", async () => {
  session.write(
    Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index + 100}-${"é".repeat(20)}`, ""])),
  );
  const text = textOf(await ls());
  const [listing, notice] = text.split("\n\n");
  expect(Buffer.byteLength(listing!)).toBeLessThanOrEqual(1024);
  expect(listing!.split("\n").every((line) => line.endsWith("é".repeat(20)))).toBe(true);
  expect(notice).toBe("[22 of 100 entries are shown. No more fit. Use find with a pattern.]");
});

test("names cannot break the lines or the terminal", async () => {
  session.write({ "a\nb": "", "\u001b[31mred": "", "tab\there": "" });
  expect(textOf(await ls())).toBe("\\x1b[31mred\na\\nb\ntab\\there");
});

test("a file, and what does not exist", async () => {
  session.write({ "src/a": "" });
  await expect(ls({ path: "src/a" })).rejects.toThrow("src/a is a file, not a directory. Use read.");
  await expect(ls({ path: "srv" })).rejects.toThrow(
    "Cannot list srv: no such file or directory (ENOENT). Did you mean `src`?",
  );
});
