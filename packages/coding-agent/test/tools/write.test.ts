import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../agent/test/support/tools.ts";
import { writeTool } from "../../src/tools/write.ts";
import { abortedWhenAskedAgain } from "../support/tools/late-abort.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

function write(path: string, content: string) {
  return session.call(writeTool, { path, content });
}

function at(path: string): string {
  return join(session.cwd, path);
}

describe("a new file", () => {
  test("is made with its directories, content as given", async () => {
    const result = await write("@deep/er/a.txt", "é\r\nb\n");
    expect(textOf(result)).toBe("Created deep/er/a.txt (6 bytes)");
    expect(result.details).toEqual({ bytes: 6, created: true });
    expect(readFileSync(at("deep/er/a.txt"), "utf8")).toBe("é\r\nb\n");
  });

  test("may be empty", async () => {
    expect(textOf(await write("a", ""))).toBe("Created a (0 bytes)");
    expect(statSync(at("a")).size).toBe(0);
  });

  test("through a link to nowhere is made where the link points", async () => {
    symlinkSync("real/file", at("link"));
    await write("link", "x");
    expect(readFileSync(at("real/file"), "utf8")).toBe("x");
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
  });

  test("of half characters says what was written for them", async () => {
    expect(textOf(await write("a", "a\ud800b"))).toBe(
      "Created a (5 bytes)\n[Unpaired surrogates cannot be stored and were written as U+FFFD.]",
    );
    expect(readFileSync(at("a"), "utf8")).toBe("a\ufffdb");
  });
});

describe("an existing file", () => {
  test("is replaced; mode and link stay; the diff shows what changed", async () => {
    session.write({ "real.sh": "a\nb\nc\n" });
    chmodSync(at("real.sh"), 0o755);
    symlinkSync("real.sh", at("link.sh"));
    const result = await write("link.sh", "a\nB\nc\n");
    expect(textOf(result)).toBe("Overwrote link.sh (6 bytes)");
    expect(result.details).toEqual({ bytes: 6, created: false, diff: " 1 a\n-2 b\n+2 B\n 3 c" });
    expect(readFileSync(at("real.sh"), "utf8")).toBe("a\nB\nc\n");
    expect(statSync(at("real.sh")).mode & 0o777).toBe(0o755);
    expect(lstatSync(at("link.sh")).isSymbolicLink()).toBe(true);
    expect(readdirSync(session.cwd).sort()).toEqual(["link.sh", "real.sh"]);
  });

  test.each<[string, Uint8Array]>([
    ["binary", Buffer.from("a\0b")],
    ["not UTF-8", Buffer.from([0xe9, 0x0a])],
    ["very large", Buffer.alloc(1024 * 1024 + 1, "a")],
  ])("that is %s is replaced without a diff", async (_name, old) => {
    session.write({ a: old });
    expect((await write("a", "new")).details).toEqual({ bytes: 3, created: false });
  });
});

describe("a file that the model has not seen", () => {
  const warning = (what: string) => `[Warning: the file existed and was not read before; its ${what} gone.]`;

  test.each<[string, string | Uint8Array, string]>([
    ["lines", "a\nb\nc\n", warning("3 lines are")],
    ["one line", "a", warning("1 line is")],
    ["more than is compared", Buffer.alloc(1024 * 1024 + 1, "a"), warning("content is")],
  ])("of %s is replaced with a warning", async (_name, old, expected) => {
    session.context.hasSeen = () => false;
    session.write({ a: old });
    expect(textOf(await write("a", "new"))).toBe(`Overwrote a (3 bytes)\n${expected}`);
  });

  test("and is new or empty needs none, nor does one that it has seen", async () => {
    session.context.hasSeen = () => false;
    session.write({ empty: "", seen: "x", linked: "x" });
    symlinkSync("linked", at("link"));
    expect(textOf(await write("new", "x"))).toBe("Created new (1 byte)");
    expect(textOf(await write("empty", "x"))).toBe("Overwrote empty (1 byte)");
    session.context.hasSeen = (path) => path === at("seen") || path === at("linked");
    expect(textOf(await write("seen", "y"))).toBe("Overwrote seen (1 byte)");
    expect(textOf(await write("link", "y"))).toBe("Overwrote link (1 byte)");
  });
});

describe("what is not written", () => {
  test.each<[string, string, () => void, string]>([
    ["a directory", "d", () => mkdirSync(at("d")), "Cannot write d: it is a directory (EISDIR)."],
    ["a name with a slash at its end", "d/", () => {}, "d/ is a directory; write needs the path of a file."],
    ["a pipe", "p", () => void Bun.spawnSync(["mkfifo", at("p")]), "is not a regular file"],
    ["below a file", "f/x", () => session.write({ f: "" }), "Cannot write f/x: "],
    ["a name that is too long", "x".repeat(300), () => {}, "the name is too long (ENAMETOOLONG)."],
    ["a control character", "a\nb", () => {}, "contains a control character"],
  ])("%s", async (_name, path, prepare, message) => {
    prepare();
    await expect(write(path, "new")).rejects.toThrow(message);
  });

  test("pintle's own files, existing or not", async () => {
    await expect(write(join(session.context.home, "auth.json"), "{}")).rejects.toThrow(
      `${join(session.context.home, "auth.json")} belongs to pintle itself, so tools cannot change it`,
    );
    symlinkSync(join(session.context.home, "extensions"), at("ext"));
    await expect(write("ext/evil.ts", "")).rejects.toThrow("ext/evil.ts belongs to pintle itself");
    await write(join(session.context.home, "notes/x.md"), "fine");
    expect(readdirSync(session.context.home)).toEqual(["notes"]);
  });

  test("anything after an abort while the old content was read", async () => {
    session.write({ a: "old" });
    const call = session.call(writeTool, { path: "a", content: "new" }, { signal: abortedWhenAskedAgain() });
    await expect(call).rejects.toThrow("stop");
    expect(readFileSync(at("a"), "utf8")).toBe("old");
  });

  test("anything after an abort", async () => {
    session.write({ a: "old" });
    const abort = new AbortController();
    const call = session.call(writeTool, { path: "a", content: "new" }, { signal: abort.signal });
    abort.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
    await expect(session.call(writeTool, { path: "new/b", content: "new" }, { signal: abort.signal })).rejects.toThrow(
      "stop",
    );
    expect(readFileSync(at("a"), "utf8")).toBe("old");
    expect(readdirSync(session.cwd)).toEqual(["a"]);
  });
});
