import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { textOf } from "../../../agent/test/support/tools.ts";
import { createTool } from "../../src/tools/define-tool.ts";
import { editTool } from "../../src/tools/edit.ts";
import { filesInMutation } from "../../src/tools/shared/file-mutations.ts";
import { abortedWhenAskedAgain } from "../support/tools/late-abort.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession();
});

afterEach(() => session.close());

type Pair = [oldText: string, newText: string];

function edit(path: string, ...pairs: Pair[]) {
  return session.call(editTool, { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) });
}

function bytes(path: string): string {
  return readFileSync(join(session.cwd, path)).toString("latin1");
}

describe("a file that is edited", () => {
  test("the result has the number of replacements and the diff with line numbers", async () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    session.write({ "src/a.ts": `${lines.join("\n")}\n` });
    const result = await edit("src/a.ts", ["line 18\n", ""], ["line 6\n", "six\nsix and a half\n"]);
    expect(textOf(result)).toBe("Edited src/a.ts (2 replacements)\n-6 line 6\n+6 six\n+7 six and a half\n-18 line 18");
    expect(result.details).toEqual({
      firstChangedLine: 6,
      diff: [
        " ...",
        " 2 line 2",
        " 3 line 3",
        " 4 line 4",
        " 5 line 5",
        "-6 line 6",
        "+6 six",
        "+7 six and a half",
        " 8 line 7",
        " 9 line 8",
        " 10 line 9",
        " 11 line 10",
        " ...",
        " 15 line 14",
        " 16 line 15",
        " 17 line 16",
        " 18 line 17",
        "-18 line 18",
        " 19 line 19",
        " 20 line 20",
      ].join("\n"),
    });
    expect(textOf(await edit("src/a.ts", ["six\n", "6\n"]))).toBe("Edited src/a.ts (1 replacement)\n-6 six\n+6 6");
  });

  test("the result says how inexact text matched", async () => {
    session.write({ "a.py": "class A:\n    def f(self):\n        return 1\n\nx = 2\n" });
    const result = await edit("a.py", ["def f(self):\n    return 1", "def f(self):\n    return 3"], ["x = 2", "x = 3"]);
    expect(textOf(result)).toBe(
      "Edited a.py (2 replacements; edits[0].oldText matched after indenting by 4)\n-3         return 1\n+3         return 3\n-5 x = 2\n+5 x = 3",
    );
  });

  test("the result is bounded, however much was changed", async () => {
    session.write({ "a.txt": "x\n" });
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}${" long".repeat(100)}`).join("\n");
    const text = textOf(await edit("a.txt", ["x", lines]));
    expect(text.length).toBeLessThan(2500);
    expect(text).toMatch(/\n\[\d+ more changed lines\]$/);
  });

  test("keeps its order mark, line ends and missing last newline", async () => {
    writeFileSync(join(session.cwd, "a.txt"), "\ufeffone\r\ntwo\nthree");
    await edit("a.txt", ["one\ntwo", "1\n2"]);
    expect(readFileSync(join(session.cwd, "a.txt"), "utf8")).toBe("\ufeff1\r\n2\nthree");
  });

  test.each([
    ["little", "utf16le" as const, Buffer.from([0xff, 0xfe]), (body: Buffer) => body],
    ["big", "utf16le" as const, Buffer.from([0xfe, 0xff]), (body: Buffer) => Buffer.from(body).swap16()],
  ])("in UTF-16 with the %s end first stays in it", async (_name, encoding, mark, swap) => {
    const file = (text: string) => Buffer.concat([mark, swap(Buffer.from(text, encoding))]);
    session.write({ "a.txt": file("été\r\n😀 x\r\n") });
    await edit("a.txt", ["😀 x", "y 😀"]);
    expect(readFileSync(join(session.cwd, "a.txt"))).toEqual(file("été\r\ny 😀\r\n"));
  });

  test("with bytes that are no UTF-8 keeps them", async () => {
    session.write({ "a.txt": Buffer.from("caf\xe9\nnext \xff\n", "latin1") });
    const result = await edit("a.txt", ["next", "über"]);
    expect(bytes("a.txt")).toBe("caf\xe9\n\xc3\xbcber \xff\n");
    expect(result.details?.diff).toContain("+2 über");
    await edit("a.txt", ["über", "“new”"]);
    const again = edit("a.txt", ["“nww”", ""]);
    await expect(again).rejects.toThrow("The file is not valid UTF-8: choose text without the characters");
    expect((await edit("a.txt", ["“new”", "x"])).details?.diff).toContain("-2 “new”");
  });

  test("keeps its mode, and a link to it stays a link", async () => {
    session.write({ "real/run.sh": "echo a\n" });
    chmodSync(join(session.cwd, "real/run.sh"), 0o751);
    symlinkSync("real/run.sh", join(session.cwd, "link"));
    await edit("link", ["echo a", "echo b"]);
    expect(bytes("real/run.sh")).toBe("echo b\n");
    expect(statSync(join(session.cwd, "real/run.sh")).mode & 0o777).toBe(0o751);
    expect(lstatSync(join(session.cwd, "link")).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(session.cwd, "real"))).toEqual(["run.sh"]);
  });

  test("by several calls at once gets all of their changes, whatever path they use", async () => {
    session.write({ "a.txt": "0 1 2 3 4 5 6 7 8 9\n" });
    symlinkSync("a.txt", join(session.cwd, "b.txt"));
    const digits = [...Array(10).keys()];
    await Promise.all(
      digits.map((digit) => edit(digit % 2 ? "a.txt" : "./b.txt", [`${digit}`, `<${"x".repeat(digit)}>`])),
    );
    expect(bytes("a.txt")).toBe(`${digits.map((digit) => `<${"x".repeat(digit)}>`).join(" ")}\n`);
    expect(filesInMutation()).toBe(0);
  });
});

describe("a file that is not edited", () => {
  test("all edits or none", async () => {
    session.write({ "a.txt": "one two\n" });
    const { ino, mtimeMs } = statSync(join(session.cwd, "a.txt"));
    await expect(edit("a.txt", ["one", "1"], ["missing", "2"])).rejects.toThrow(
      "edits[1].oldText was not found in a.txt.",
    );
    expect(bytes("a.txt")).toBe("one two\n");
    expect(statSync(join(session.cwd, "a.txt"))).toMatchObject({ ino, mtimeMs });
    expect(readdirSync(session.cwd)).toEqual(["a.txt"]);
  });

  test("whatever the edits are: a wrong one among them keeps every byte", async () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,5}$/), { minLength: 2, maxLength: 8 });
    const ending = fc.constantFrom("\n", "\r\n", " ");
    const wrong = fc.constantFrom<Pair>(["", "x"], ["MISSING", "x"], ["|", "x"], ["SAME", "SAME"]);
    await fc.assert(
      fc.asyncProperty(words, ending, wrong, fc.nat(), async (list, end, wrongPair, place) => {
        const content = `${list.map((word) => `|${word}|`).join(end)}|SAME`;
        session.write({ "a.txt": content });
        const pairs = list.map((word): Pair => [`|${word}|`, word.toUpperCase()]);
        await edit("a.txt", ...pairs);
        expect(bytes("a.txt")).toBe(`${list.map((word) => word.toUpperCase()).join(end)}|SAME`);
        session.write({ "a.txt": content });
        await expect(edit("a.txt", ...pairs.toSpliced(place % (pairs.length + 1), 0, wrongPair))).rejects.toThrow();
        expect(bytes("a.txt")).toBe(content);
      }),
      { numRuns: 50 },
    );
  });

  test("a missing file is reported with the code and similar names", async () => {
    session.write({ "src/user.ts": "", "src/users.ts": "", "src/other.md": "" });
    await expect(edit("src/user.tsx", ["a", "b"])).rejects.toThrow(
      "Cannot edit src/user.tsx: no such file or directory (ENOENT). Did you mean `src/user.ts` or `src/users.ts`?",
    );
    await expect(edit("no/where.ts", ["a", "b"])).rejects.toThrow(
      "Cannot edit no/where.ts: no such file or directory (ENOENT). The directory no does not exist either.",
    );
  });

  test.each<[string, () => void, string]>([
    ["a directory", () => mkdirSync(join(session.cwd, "x")), "x is a directory, not a file that can be edited."],
    ["a pipe", () => void Bun.spawnSync(["mkfifo", join(session.cwd, "x")]), "x is a pipe, not a file"],
    ["binary data", () => session.write({ x: "a\0b" }), "x is a binary file and cannot be edited as text."],
    [
      "a huge file",
      () => session.write({ x: Buffer.alloc(33 * 1024 * 1024, "a\n") }),
      "x is 33 MB; edit takes files of up to 32 MB.",
    ],
  ])("%s is refused", async (_name, prepare, message) => {
    prepare();
    await expect(edit("x", ["a", "b"])).rejects.toThrow(message);
  });

  test("an aborted call leaves it as it was", async () => {
    session.write({ "a.txt": "one\n" });
    const abort = new AbortController();
    const call = session.call(
      editTool,
      { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] },
      { signal: abort.signal },
    );
    abort.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
    expect(bytes("a.txt")).toBe("one\n");
    expect(readdirSync(session.cwd)).toEqual(["a.txt"]);
  });

  test("an abort between reading and writing leaves it as it was", async () => {
    session.write({ "a.txt": "one\n" });
    const args = { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] };
    await expect(session.call(editTool, args, { signal: abortedWhenAskedAgain() })).rejects.toThrow("stop");
    expect(bytes("a.txt")).toBe("one\n");
  });

  test("pintle's own settings are refused, through a link too", async () => {
    mkdirSync(session.context.home, { recursive: true });
    writeFileSync(join(session.context.home, "settings.json"), "{}");
    symlinkSync(session.context.home, join(session.cwd, "home"));
    await expect(edit("home/settings.json", ["{}", "{ }"])).rejects.toThrow("belongs to pintle itself");
    expect(readFileSync(join(session.context.home, "settings.json"), "utf8")).toBe("{}");
  });
});

describe("the order of calls in a batch", () => {
  test("is keyed by the real file, even one that does not exist yet", () => {
    mkdirSync(join(session.cwd, "real"));
    symlinkSync("real", join(session.cwd, "link"));
    const tool = createTool(editTool, session.context);
    const key = (path: string) => tool.serializeOn?.({ path, edits: [] });
    expect(key("link/sub/new.ts")).toEqual([join(session.cwd, "real/sub/new.ts")]);
    expect(key("@real/sub/../sub/new.ts")).toEqual(key("link/sub/new.ts"));
  });
});
