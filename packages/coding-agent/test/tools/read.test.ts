import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ToolInvocation } from "@pintle/agent";
import { textOf } from "../../../agent/test/support/tools.ts";
import { Settings } from "../../src/config/settings/settings.ts";
import { createTool } from "../../src/tools/define-tool.ts";
import { editTool } from "../../src/tools/edit.ts";
import { type ReadArguments, readTool } from "../../src/tools/read.ts";
import { openToolSession, type ToolSession } from "../support/tools/tool-session.ts";

let session: ToolSession;

beforeEach(() => {
  session = openToolSession({ settings: { "tools.maxOutputLines": 10, "tools.maxOutputBytes": 1024 } });
});

afterEach(() => session.close());

function read(path: string, args: Omit<ReadArguments, "path"> = {}) {
  return session.call(readTool, { path, ...args });
}

async function shown(path: string, args: Omit<ReadArguments, "path"> = {}): Promise<string> {
  return textOf(await read(path, args));
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}

describe("text", () => {
  test("that fits is shown unchanged", async () => {
    session.write({ "a.txt": "one\n\ttwo\n", "b.txt": "no newline" });
    const result = await read("@a.txt");
    expect(textOf(result)).toBe("one\n\ttwo\n");
    expect(result.details).toEqual({ kind: "text" });
    expect(await shown("b.txt")).toBe("no newline");
  });

  test("that is longer ends with the range shown, the total, and how to continue", async () => {
    session.write({ "a.txt": numbered(25) });
    const first = await read("a.txt");
    expect(textOf(first)).toBe(`${numbered(10)}\n[Lines 1-10 of 25 are shown. Continue with offset=11.]`);
    expect(first.details).toEqual({
      kind: "text",
      truncation: {
        truncated: true,
        truncatedBy: "lines",
        totalLines: 25,
        outputLines: 10,
        outputBytes: Buffer.byteLength(numbered(10)),
        maxLines: 10,
        maxBytes: 1024,
      },
    });
    expect(await shown("a.txt", { offset: 21 })).toBe("line 21\nline 22\nline 23\nline 24\nline 25\n");
  });

  test("a limit set by the caller is not a truncation, but the note says how to continue", async () => {
    session.write({ "a.txt": numbered(25) });
    const result = await read("a.txt", { offset: 3, limit: 2 });
    expect(textOf(result)).toBe("line 3\nline 4\n\n[Lines 3-4 of 25 are shown. Continue with offset=5.]");
    expect(result.details).toEqual({ kind: "text" });
    expect(await shown("a.txt", { offset: 24, limit: 2 })).toBe("line 24\nline 25\n");
    expect(await shown("a.txt", { offset: 0, limit: 1 })).toStartWith("line 1\n\n[Lines 1-1 of 25");
  });

  test("is cut between lines when bytes run out", async () => {
    session.write({ "a.txt": `${"é".repeat(200)}\n`.repeat(5) });
    const result = await read("a.txt");
    expect(textOf(result)).toBe(
      `${`${"é".repeat(200)}\n`.repeat(2)}\n[Lines 1-2 of 5 are shown. Continue with offset=3.]`,
    );
    expect(result.details?.truncation).toMatchObject({ truncatedBy: "bytes", outputLines: 2 });
  });

  test("an offset after the end is an error with the number of lines", async () => {
    session.write({ "a.txt": "a\nb\n", "one.txt": "a", "empty.txt": "" });
    await expect(read("a.txt", { offset: 3 })).rejects.toThrow("offset 3 is past the end: a.txt has 2 lines.");
    await expect(read("one.txt", { offset: 9 })).rejects.toThrow("offset 9 is past the end: one.txt has 1 line.");
    await expect(read("empty.txt", { offset: 2 })).rejects.toThrow("offset 2 is past the end: empty.txt has 0 lines.");
    expect(await shown("empty.txt")).toBe("[The file is empty.]");
  });

  test("a line that does not fit alone: its size and a command that gets a part of it", async () => {
    const long = `${"x".repeat(3000)}END`;
    session.write({ "it's.txt": `\ufeffshort\n${long}\nlast\n` });
    expect(await shown("it's.txt")).toBe("short\n\n[Lines 1-1 of 3 are shown. Continue with offset=2.]");
    const notice = await shown("it's.txt", { offset: 2 });
    expect(notice).toBe(
      "[Line 2 is 2.9 KB long, more than the 1 KB that fit. Use bash for a part of it: tail -c +10 'it'\\''s.txt' | head -c 1024]",
    );
    const command = /part of it: (.*)\]$/.exec(notice)?.[1] ?? "";
    const { stdout } = Bun.spawnSync(["sh", "-c", command], { cwd: session.cwd });
    expect(stdout.toString()).toBe("x".repeat(1024));
  });
});

describe("encodings", () => {
  test("an order mark and CR before LF are not shown, and edit finds what was shown", async () => {
    session.write({ "a.txt": "\ufeffone\r\ntwo\r\n" });
    const text = await shown("a.txt");
    expect(text).toBe("one\ntwo\n");
    await session.call(editTool, { path: "a.txt", edits: [{ oldText: text, newText: "1\n2\n" }] });
    expect(readFileSync(join(session.cwd, "a.txt"), "utf8")).toBe("\ufeff1\r\n2\r\n");
  });

  test("control characters are left out and edit finds what was shown", async () => {
    session.write({ "a.txt": "a\u001b[31mb\n\fnext\n" });
    expect(await shown("a.txt")).toBe("a[31mb\nnext\n\n[Control characters are omitted.]");
    await session.call(editTool, { path: "a.txt", edits: [{ oldText: "a[31mb\nnext", newText: "x" }] });
    expect(readFileSync(join(session.cwd, "a.txt"), "utf8")).toBe("x\n");
  });

  test("UTF-16 with an order mark, both ways round", async () => {
    const body = Buffer.from("été\r\n😀\r\n", "utf16le");
    session.write({ le: Buffer.concat([Buffer.from([0xff, 0xfe]), body]) });
    session.write({ be: Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(body).swap16()]) });
    expect(await shown("le")).toBe("été\n😀\n");
    expect(await shown("be", { offset: 2 })).toBe("😀\n");
  });

  test("broken UTF-8 is replaced, said, and still bounded", async () => {
    session.write({ "a.txt": Buffer.from("caf\xe9 au lait\n", "latin1") });
    expect(await shown("a.txt")).toBe("caf\ufffd au lait\n\n[Not valid UTF-8: invalid bytes are shown as U+FFFD.]");
    session.write({ "b.txt": Buffer.from(`${"word \xe9\xe9 ".repeat(12)}\n`.repeat(9), "latin1") });
    const { content, details } = await read("b.txt");
    const [text] = textOf({ content }).split("\n\n");
    expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(1024);
    expect(details?.truncation).toMatchObject({ truncatedBy: "bytes", totalLines: 9 });
  });

  test("a character across two chunks stays whole", async () => {
    const border = 256 * 1024;
    session.write({ "a.txt": `${"x\n".repeat(border / 2 - 1)}y€\nlast\n` });
    expect(await shown("a.txt", { offset: border / 2 })).toBe("y€\nlast\n");
  });
});

describe("large files", () => {
  test("are not read whole, and the total is honest", async () => {
    const path = join(session.cwd, "huge.log");
    const fd = openSync(path, "w");
    writeSync(fd, numbered(20_000));
    ftruncateSync(fd, 8 * 1024 ** 3); // sparse: no blocks on disk, but 8 GB when read
    closeSync(fd);
    const before = process.memoryUsage.rss();
    const text = await shown("huge.log");
    expect(text).toBe(`${numbered(10)}\n[Lines 1-10 of more than 20001 are shown. Continue with offset=11.]`);
    expect(process.memoryUsage.rss() - before).toBeLessThan(256 * 1024 * 1024);
  });

  test("can be left by an abort while lines are skipped", async () => {
    const path = join(session.cwd, "huge.log");
    const fd = openSync(path, "w");
    writeSync(fd, "text\n".repeat(2000));
    ftruncateSync(fd, 1024 ** 4);
    closeSync(fd);
    const abort = new AbortController();
    const call = session.call(readTool, { path: "huge.log", offset: 1_000_000 }, { signal: abort.signal });
    setImmediate(() => abort.abort(new Error("stop")));
    await expect(call).rejects.toThrow("stop");
  });
});

describe("what is no text", () => {
  test.each<[string, Uint8Array, string]>([
    ["ELF", Buffer.from("\x7fELF\x02\x01\x01", "latin1"), "ELF program or library, application/x-elf, 7 bytes"],
    ["PDF", Buffer.from("%PDF-1.7\n"), "PDF document, application/pdf, 9 bytes"],
    ["zip", Buffer.from("PK\x03\x04rest", "latin1"), "zip archive, application/zip, 8 bytes"],
    ["anything with NUL", Buffer.from("abc\0def"), "unknown data, application/octet-stream, 7 bytes"],
    [
      "noise",
      Buffer.from(Array.from({ length: 400 }, (_, index) => 128 + ((index * 37) % 127))),
      "unknown data, application/octet-stream, 400 bytes",
    ],
  ])("%s is refused with type and size", async (_name, bytes, expected) => {
    session.write({ "x.txt": bytes });
    await expect(read("x.txt")).rejects.toThrow(`x.txt is a binary file (${expected}) and cannot be read as text.`);
  });

  test("a pipe, a device and a socket are refused at once", async () => {
    Bun.spawnSync(["mkfifo", join(session.cwd, "pipe")]);
    await expect(read("pipe")).rejects.toThrow("pipe is a pipe, not a file.");
    await expect(read("/dev/zero")).rejects.toThrow("/dev/zero is a device, not a file.");
    using server = Bun.listen({ unix: join(session.cwd, "sock"), socket: { data() {} } });
    expect(server.unix).toBeTruthy();
    await expect(read("sock")).rejects.toThrow("sock is a socket, not a file.");
  });

  test("files of the system without a size are read", async () => {
    expect(await shown("/proc/self/stat")).toStartWith(`${process.pid} `);
  });

  test("a directory is listed", async () => {
    session.write({ "src/b": "", "src/a/x": "" });
    const result = await read("src");
    expect(textOf(result)).toBe("a/\nb");
    expect(result.details).toEqual({ kind: "directory" });
  });
});

describe("names", () => {
  test("a missing file gets a hint", async () => {
    session.write({ "src/index.ts": "" });
    await expect(read("src/Index.js")).rejects.toThrow(
      "Cannot read src/Index.js: no such file or directory (ENOENT). Did you mean `src/index.ts`?",
    );
    await expect(read("src/index.ts/x")).rejects.toThrow(
      "Cannot read src/index.ts/x: a part of the path is not a directory",
    );
  });

  test.each([
    ["a narrow space in a screenshot's name", "Shot 9.41.00\u202fAM.txt", "Shot 9.41.00 AM.txt"],
    ["accents in two parts", "re\u0301sume\u0301.txt", "r\u00e9sum\u00e9.txt"],
    ["a curly apostrophe", "Capture d\u2019e\u0301cran.txt", "Capture d'\u00e9cran.txt"],
    ["directories too", "re\u0301pertoire/a\u00a0b.txt", "r\u00e9pertoire/a b.txt"],
    ["a name that begins with @", "@types/x.txt", "@types/x.txt"],
  ])("%s", async (_name, stored, written) => {
    session.write({ [stored]: "found" });
    expect(await shown(written)).toBe("found");
  });

  test("of two that look the same neither is taken", async () => {
    session.write({ "a\u00a0b": "1", "a\u2003b": "2" });
    await expect(read("a b")).rejects.toThrow("ENOENT");
  });

  test("links are followed, those in a circle reported", async () => {
    session.write({ real: "text" });
    symlinkSync("real", join(session.cwd, "link"));
    symlinkSync("circle", join(session.cwd, "circle"));
    expect(await shown("link")).toBe("text");
    await expect(read("circle")).rejects.toThrow("Cannot read circle: its links lead in a circle (ELOOP).");
  });
});

describe("notebooks", () => {
  test("are shown as cells with their outputs", async () => {
    const cells = [
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "print(1)\n",
        outputs: [
          { output_type: "stream", text: ["1\n"] },
          { output_type: "display_data", data: { "image/png": "AAAA", "text/plain": ["<Figure>"] } },
          { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mE\u001b[0m", "v"] },
        ],
      },
    ];
    session.write({ "n.ipynb": JSON.stringify({ cells, nbformat: 4 }) });
    const result = await read("n.ipynb");
    expect(textOf(result)).toBe(
      "[Cell 1: markdown]\n# Title\ntext\n\n[Cell 2: code]\nprint(1)\n[Output of cell 2]\n1\n<Figure>\n[image/png]\n\n[Lines 1-10 of 12 are shown. Continue with offset=11.]",
    );
    expect(result.details).toMatchObject({ kind: "notebook", truncation: { totalLines: 12 } });
    expect(await shown("n.ipynb", { offset: 11 })).toBe("E\nv\n");
  });

  test("that are none are text", async () => {
    session.write({ "n.ipynb": "not json\n", "m.ipynb": '{"cells": 3}' });
    expect((await read("n.ipynb")).details).toEqual({ kind: "text" });
    expect(await shown("m.ipynb")).toBe('{"cells": 3}');
  });
});

describe("pages", () => {
  beforeEach(async () => {
    await session.close();
    session = openToolSession();
  });

  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1} ${"é".repeat(10)}\n`);

  test("of a long text follow each other without a gap, each within its size", async () => {
    session.write({ "long.txt": lines.join("") });
    const page = async (from: number) => textOf(await read("long.txt", { offset: from }));
    let offset = 1;
    let whole = "";
    for (;;) {
      const text = await page(offset);
      const next = /\n\n\[Lines \d+-\d+ of 3000 are shown\. Continue with offset=(\d+)\.\]$/.exec(text);
      expect(Buffer.byteLength(text)).toBeLessThan(18 * 1024 + 100);
      whole += next ? text.slice(0, next.index + 1) : text;
      if (!next) break;
      offset = Number(next[1]);
    }
    expect(whole).toBe(lines.join(""));
  });

  test("are as long as requested, up to the limit of results", async () => {
    session.write({ "long.txt": lines.join("") });
    expect(textOf(await read("long.txt", { limit: 1000 }))).toStartWith(lines.slice(0, 1000).join("").trimEnd());
    const result = await read("long.txt", { limit: 3000 });
    expect(result.details?.truncation).toMatchObject({ truncatedBy: "bytes", maxBytes: 51_200 });
    expect(result.details!.truncation!.outputBytes).toBeGreaterThan(50_000);
  });

  test("are not made of text that is little longer than one", async () => {
    const text = lines.slice(0, 700).join("");
    expect(Buffer.byteLength(text)).toBeWithin(18 * 1024, 24 * 1024);
    session.write({ "a.txt": text });
    expect(textOf(await read("a.txt"))).toBe(text);
  });

  test("hold a first line that is longer than one", async () => {
    session.write({ "a.txt": `${"x".repeat(40_000)}\nnext\n` });
    expect(textOf(await read("a.txt"))).toBe(
      `${"x".repeat(40_000)}\n\n[Lines 1-1 of 2 are shown. Continue with offset=2.]`,
    );
  });

  test("have line numbers if requested", async () => {
    session.write({ "a.txt": "one\n\nthree\nfour" });
    expect(textOf(await read("a.txt", { lineNumbers: true }))).toBe("1│one\n2│\n3│three\n4│four");
    expect(textOf(await read("a.txt", { lineNumbers: true, offset: 2, limit: 2 }))).toBe(
      "2│\n3│three\n\n[Lines 2-3 of 4 are shown. Continue with offset=4.]",
    );
  });

  test("with numbers stay within the limit of results", async () => {
    session.write({ "a.txt": "\n".repeat(2000) });
    await session.close();
    session = openToolSession({ settings: { "tools.maxOutputBytes": 1024 } });
    session.write({ "a.txt": "\n".repeat(900) });
    const text = textOf(await read("a.txt", { lineNumbers: true }));
    const [listing, notice] = text.split("\n\n");
    expect(Buffer.byteLength(listing!)).toBeLessThanOrEqual(1024);
    const last = Number(/(\d+)│$/.exec(listing!)?.[1]);
    expect(notice).toBe(`[Lines 1-${last} of 900 are shown. Continue with offset=${last + 1}.]`);
  });
});

describe("images", () => {
  const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  const picture = (width: number, height: number) => new Bun.Image(dot).resize(width, height).png().bytes();

  beforeEach(() => {
    session.context.takesImages = () => true;
  });

  test("are known by their content and go out as they are when they fit", async () => {
    session.write({ "a.txt": dot });
    const result = await read("a.txt");
    expect(result.content).toEqual([
      { type: "text", text: `[a.txt is an image (image/gif, ${dot.length} bytes), 1x1 pixels.]` },
      { type: "image", data: dot.toString("base64"), mimeType: "image/gif" },
    ]);
    expect(result.details).toEqual({ kind: "image", mimeType: "image/gif" });
  });

  const imageIn = async (path: string) => {
    const [note, image] = (await read(path)).content;
    if (note?.type !== "text" || image?.type !== "image") throw new Error("expected a note and an image");
    const bytes = Buffer.from(image.data, "base64");
    return { note: note.text, mimeType: image.mimeType, bytes, ...(await new Bun.Image(bytes).metadata()) };
  };

  /** Encodes pixels as a bitmap, which Bun can read. */
  function bitmap(width: number, height: number, colourAt: (x: number, y: number) => readonly number[]): Buffer {
    const row = Math.ceil((width * 3) / 4) * 4;
    const bytes = Buffer.alloc(54 + row * height);
    bytes.write("BM");
    bytes.writeUInt32LE(bytes.length, 2);
    bytes.writeUInt32LE(54, 10);
    bytes.writeUInt32LE(40, 14);
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
    bytes.writeUInt16LE(1, 26);
    bytes.writeUInt16LE(24, 28);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) bytes.set(colourAt(x, y), 54 + y * row + x * 3);
    }
    return bytes;
  }

  test("are shrunk to what models look at, shape kept, and the result says both sizes", async () => {
    session.write({ "a.png": await picture(3000, 1500) });
    expect(await imageIn("a.png")).toMatchObject({
      note: expect.stringContaining("shown with 1568x784 pixels instead of 3000x1500"),
      width: 1568,
      height: 784,
    });
  });

  test("that are photographs become JPEG, in a fraction of their bytes", async () => {
    const shade = (x: number, y: number) => [x % 256, (x + y) % 256, (128 + Math.random() * 32) % 256];
    const file = await new Bun.Image(bitmap(1200, 900, shade)).png().bytes();
    session.write({ "a.png": file });
    const { bytes, ...image } = await imageIn("a.png");
    expect(image).toMatchObject({ mimeType: "image/jpeg", format: "jpeg", width: 1200, height: 900 });
    expect(bytes.length).toBeLessThan(file.length / 2);
  });

  test("that are drawings get a palette", async () => {
    const shade = (x: number, y: number) => (((x >> 3) * 31 + (y >> 3) * 17) % 7 < 2 ? [20, 20, 20] : [250, 250, 250]);
    session.write({ "a.png": await new Bun.Image(bitmap(2400, 1600, shade)).png().bytes() });
    expect(await imageIn("a.png")).toMatchObject({ mimeType: "image/png", format: "png", width: 1568 });
  });

  test("that are transparent never become JPEG, where that would be black", async () => {
    session.write({ "a.png": await picture(1600, 1200) });
    expect(await imageIn("a.png")).toMatchObject({ format: "png", width: 1568, height: 1176 });
  });

  test("of which a small file claims more pixels than memory are refused before they are unpacked", async () => {
    const bomb = Buffer.from(await picture(10, 10));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    session.write({ "a.png": bomb });
    await expect(read("a.png")).rejects.toThrow(
      "a.png looks like an image but cannot be decoded (ERR_IMAGE_TOO_MANY_PIXELS).",
    );
  });

  test.each<[string, boolean, Record<string, unknown>, string]>([
    ["the model has no eyes", false, {}, "the current model does not accept images"],
    ["the user wants none", true, { "images.blockImages": true }, "images are disabled (images.blockImages)"],
    ["they may not be shrunk", true, { "images.autoResize": false }, "it is too large for a model"],
  ])("are left out with a note when %s", async (_name, takesImages, settings, reason) => {
    const { context } = session;
    const changed = { ...context, takesImages: () => takesImages, settings: Settings.inMemory(settings) };
    session.write({ "a.png": await picture(2001, 3) });
    const call = { id: "1", signal: new AbortController().signal } as ToolInvocation;
    const { content, isError } = await createTool(readTool, changed).execute({ path: "a.png" }, call);
    expect(textOf({ content })).toMatch(/^\[a\.png is an image \(image\/png, .*\)\. It was omitted: [^<]*\.\]$/);
    expect(textOf({ content })).toContain(reason);
    expect(isError).toBeUndefined();
  });

  test("that are broken are refused: a provider would refuse the whole conversation", async () => {
    const whole = await picture(300, 200);
    session.write({ "a.png": whole.subarray(0, whole.length / 2) });
    await expect(read("a.png")).rejects.toThrow(
      "a.png looks like an image but cannot be decoded (ERR_IMAGE_DECODE_FAILED).",
    );
  });
});

test("a file that the system does not let be read", async () => {
  mkdirSync(join(session.cwd, "sub"));
  writeFileSync(join(session.cwd, "secret"), "x", { mode: 0 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await expect(read("secret")).rejects.toThrow(/Cannot read secret: permission denied \(EACCES\)/);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
