import { afterEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { SessionStore } from "../../../storage/src/session-store.ts";
import { type ExportOptions, exportHtml } from "../../src/export/export-html.ts";
import { createLongSession } from "../support/export/long-session.ts";
import { readPageFile } from "../support/export/read-page.ts";
import { createSample, PNG, type Sample, text } from "../support/export/sample-session.ts";

const samples: Sample[] = [];
function sampleWithTalk(): Sample {
  const sample = createSample();
  samples.push(sample);
  sample.user("Hello </script><script>alert(1)</script>");
  sample.answer([text("Hi")]);
  return sample;
}
afterEach(() => {
  for (const sample of samples.splice(0)) sample.remove();
});

function options(sample: Sample, more: Partial<ExportOptions> = {}): ExportOptions {
  return {
    source: { manager: sample.manager },
    cwd: sample.directory,
    blobDir: sample.blobDir,
    version: "9.9.9",
    ...more,
  };
}

describe("the path of the page", () => {
  test("is in the caller's directory by default, named after the session file", async () => {
    const sample = sampleWithTalk();
    const { path } = await exportHtml(options(sample));
    const stem = basename(sample.manager.sessionFile as string, ".jsonl");
    expect(path).toBe(join(sample.directory, `pintle-session-${stem}.html`));
    expect(readPageFile(path).index.rows.map(({ kind }) => kind)).toEqual(["user", "assistant"]);
  });

  test("resolves a relative path against the working directory, and uses an absolute one unchanged", async () => {
    const sample = sampleWithTalk();
    mkdirSync(join(sample.directory, "out"));
    expect((await exportHtml(options(sample, { outputPath: "out/a.html" }))).path).toBe(
      join(sample.directory, "out/a.html"),
    );
    const absolute = join(sample.directory, "b.html");
    expect((await exportHtml(options(sample, { outputPath: absolute, cwd: "/" }))).path).toBe(absolute);
  });

  test("reports a missing directory in a sentence, and writes nothing", async () => {
    const sample = sampleWithTalk();
    const before = readdirSync(sample.directory);
    await expect(exportHtml(options(sample, { outputPath: "nowhere/a.html" }))).rejects.toThrow(
      /^The directory ".*nowhere" does not exist/,
    );
    expect(readdirSync(sample.directory)).toEqual(before);
  });

  test("does not replace a directory", async () => {
    const sample = sampleWithTalk();
    mkdirSync(join(sample.directory, "a.html"));
    await expect(exportHtml(options(sample, { outputPath: "a.html" }))).rejects.toThrow("EISDIR");
  });

  test("replaces an older page atomically with one that only its owner can read, and leaves no other file", async () => {
    const sample = sampleWithTalk();
    const path = join(sample.directory, "a.html");
    writeFileSync(path, "x".repeat(1_000_000));
    chmodSync(path, 0o644);
    symlinkSync(path, join(sample.directory, "link.html"));
    await exportHtml(options(sample, { outputPath: "link.html" }));
    expect(readPageFile(path).index.rows).toHaveLength(2);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(sample.directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("the exported content", () => {
  test("refuses a session in memory with the specified message", async () => {
    const sample = sampleWithTalk();
    const store = new SessionStore({
      cwd: "/",
      sessionDir: sample.directory,
      blobDir: sample.blobDir,
      clock: { now: () => 1 },
      process: { pid: 1, host: "", startedAt: "" },
    });
    const source = { manager: store.createInMemory() };
    await expect(exportHtml(options(sample, { source }))).rejects.toThrow("Cannot export in-memory session to HTML");
  });

  test("reads a file that another process has locked, without changing it", async () => {
    const sample = sampleWithTalk();
    const file = sample.manager.sessionFile as string;
    const before = { bytes: readFileSync(file), mtime: statSync(file).mtimeMs };
    const { path } = await exportHtml(options(sample, { source: { path: file }, outputPath: "a.html" }));
    expect(readPageFile(path).index.session.id).toBe(sample.manager.sessionId);
    expect({ bytes: readFileSync(file), mtime: statSync(file).mtimeMs }).toEqual(before);
  });

  test("names a missing file in the error", async () => {
    const sample = sampleWithTalk();
    const missing = join(sample.directory, "no.jsonl");
    await expect(exportHtml(options(sample, { source: { path: missing } }))).rejects.toThrow(
      `Session file not found: ${missing}`,
    );
    expect(existsSync(missing)).toBe(false);
  });

  test("reports damage in the file and exports the rest", async () => {
    const sample = sampleWithTalk();
    const file = join(sample.directory, "torn.jsonl");
    writeFileSync(file, `${readFileSync(sample.manager.sessionFile as string, "utf8")}{"type":"message","id":"x`);
    const problems: string[] = [];
    const { path } = await exportHtml(
      options(sample, { source: { path: file }, outputPath: "a.html", report: (problem) => problems.push(problem) }),
    );
    expect(readPageFile(path).index.rows).toHaveLength(2);
    expect(problems).toHaveLength(1);
  });

  test("excludes entries that are appended during the export", async () => {
    const sample = createLongSession(4_000); // long enough that other work runs in between
    samples.push(sample);
    const before = sample.manager.entries().length;
    const pending = exportHtml(options(sample, { outputPath: "a.html" }));
    await new Promise((resolve) => setImmediate(resolve));
    sample.user("too late");
    expect(readPageFile((await pending).path).index.rows).toHaveLength(before);
  });

  test("exports a session without messages as an empty page", async () => {
    const sample = createSample();
    samples.push(sample);
    const { path } = await exportHtml(options(sample, { outputPath: "a.html" }));
    expect(readPageFile(path).index).toMatchObject({ leaf: -1, rows: [] });
  });

  test("includes each image from the blobs once, and reports missing and invalid ones", async () => {
    const sample = createSample();
    samples.push(sample);
    const large = Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(2000)]).toString("base64");
    const lost = Buffer.concat([Buffer.from(PNG, "base64"), Buffer.alloc(3000)]).toString("base64");
    const image = (data: string, mimeType = "image/png") => ({ type: "image" as const, data, mimeType });
    const content = [image(large), image(large), image(lost), image("<svg/>", "image/svg+xml"), image("%%%")];
    sample.add({ role: "user", content, timestamp: 1 });
    const blobs = readdirSync(sample.blobDir);
    expect(blobs).toHaveLength(2);
    const lostBlob = blobs.find((name) => statSync(join(sample.blobDir, name)).size > 3000) as string;
    writeFileSync(join(sample.blobDir, lostBlob), "");
    const page = readPageFile((await exportHtml(options(sample, { outputPath: "a.html" }))).path);
    expect(page.images).toEqual([`data:image/png;base64,${large}`]);
    expect(page.bodies[0]).toEqual({
      blocks: [
        { type: "image", image: 0, mimeType: "image/png" },
        { type: "image", image: 0, mimeType: "image/png" },
        { type: "missing", note: "Image unavailable: its file no longer exists" },
        { type: "missing", note: "Image of type image/svg+xml is not shown" },
        { type: "missing", note: "Image unavailable: its data is damaged" },
      ],
    });
  });

  test("includes the system prompt and tools if they are known", async () => {
    const sample = sampleWithTalk();
    const tools = [{ name: "bash", description: "Runs" }];
    const { path } = await exportHtml(options(sample, { outputPath: "a.html", systemPrompt: "Be brief", tools }));
    expect(readPageFile(path).index).toMatchObject({ systemPrompt: "Be brief", tools, generator: "pintle 9.9.9" });
  });

  test("masks secrets on request, everywhere and before anything is truncated", async () => {
    const sample = createSample();
    samples.push(sample);
    const key = `sk-ant-${"a1B2c3D4".repeat(6)}`;
    const id = sample.user(`${"word ".repeat(31)}${key}`);
    sample.manager.setLabel(id, key);
    sample.answer([
      {
        type: "toolCall",
        id: "c",
        name: "bash",
        arguments: { command: `curl -H 'x-api-key: ${key}'`, apiKey: "hunter2" },
      },
    ]);
    sample.result("c", "bash", key, { details: { env: { PASSWORD: "hunter2" } } });
    sample.manager.setName(`Session with ${key}`);
    const page = async (more: object) => readFileSync((await exportHtml(options(sample, more))).path, "utf8");
    const open = await page({ outputPath: "open.html", redact: false });
    const masked = await page({ outputPath: "masked.html" });
    expect(open).toContain(key);
    expect(masked).not.toContain("sk-ant-");
    expect(masked).not.toContain("hunter2");
    expect(masked).toContain("[redacted]");
  });
});
