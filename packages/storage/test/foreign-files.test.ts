import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionEntry } from "@pintle/wire";
import { isEntry, isFromExtension, modelOf } from "../src/entries/entries.ts";
import { assistant, imageData, user } from "./support/messages.ts";
import { freshDirectory, header, messageEntry, stateEntry, testStore, texts, writeSession } from "./support/stores.ts";

/** The title slot as omp writes it: 256 bytes including the LF, overwritten in place. */
function titleSlot(title: string): string {
  const slot = { type: "title", v: 1, title, source: "auto", updatedAt: "2026-01-01T00:00:00.000Z", pad: "" };
  const missing = 255 - Buffer.byteLength(JSON.stringify(slot));
  return JSON.stringify({ ...slot, pad: " ".repeat(missing) });
}

/** One of each kind of entry that pi, xcsh or omp write, in the order of a conversation. */
const foreignEntries = [
  stateEntry("session_init", "01", null, { systemPrompt: "be good", task: "t", tools: ["read"], spawns: "*" }),
  stateEntry("model_change", "02", "01", { model: "anthropic/claude/x", role: "default" }),
  stateEntry("thinking_level_change", "03", "02", { thinkingLevel: null, configured: "auto" }),
  messageEntry("04", "03", user("first")),
  messageEntry("05", "04", {
    ...assistant("answer"),
    providerPayload: { items: [1] },
    content: [
      { type: "redactedThinking", data: "zzz" },
      { type: "text", text: "answer", textSignature: "sig" },
      { type: "omp_only", blob: 1 },
    ],
  } as never),
  stateEntry("model_change", "06", "05", { model: "other/fallback", role: "temporary", resolvedModelIsFallback: true }),
  stateEntry("custom_message", "07", "06", {
    customType: "note",
    content: "noted",
    display: false,
    attribution: "agent",
  }),
  stateEntry("mode_change", "08", "07", { mode: "plan", data: { a: 1 } }),
  stateEntry("service_tier_change", "09", "08", { serviceTier: { openai: "flex" } }),
  stateEntry("ttsr_injection", "10", "09", { injectedRules: ["r1", "r2"] }),
  stateEntry("ttsr_injection", "11", "10", { injectedRules: ["r2", "r3"] }),
  stateEntry("credential_pin", "12", "11", { secretOf: 12345 }),
  stateEntry("model_usage", "13", "12", { purpose: "title", provider: "p", model: "m", usage: { input: 1 } }),
  stateEntry("title_change", "14", "13", { title: "by omp", previousTitle: "before", source: "auto" }),
  messageEntry("15", "14", {
    role: "pythonExecution",
    code: "1+1",
    output: "2",
    cancelled: false,
    truncated: false,
    timestamp: 3,
  } as never),
  messageEntry("16", "15", { role: "hologram", content: "?" } as never),
  messageEntry("17", "16", user("second")),
];

describe("files of other programs", () => {
  test("are understood", async () => {
    const { store } = testStore();
    const session = await store.open(
      writeSession([titleSlot("in the slot"), header({ id: "0123456789abcdef" }), ...foreignEntries]),
    );
    const context = session.buildContext();
    expect(session.sessionId).toBe("0123456789abcdef");
    expect(session.name).toBe("by omp");
    expect(session.leafId).toBe("17");
    expect(context.model).toEqual({ provider: "anthropic", modelId: "claude/x" });
    expect(context.thinkingLevel).toBe("off");
    expect(context.injectedRules).toEqual(["r1", "r2", "r3"]);
    expect(context.messages.map(({ role }) => role)).toEqual(["user", "assistant", "custom", "bashExecution", "user"]);
    expect(context.messages[1]).toMatchObject({
      content: [
        { type: "redactedThinking", data: "zzz" },
        { type: "text", text: "answer", textSignature: "sig" },
      ],
    });
    expect(context.messages[3]).toEqual({
      role: "bashExecution",
      command: "1+1",
      output: "2",
      cancelled: false,
      truncated: false,
      timestamp: 3,
    });
    session.close();
  });

  test("keep every byte when something is appended", async () => {
    const { store } = testStore();
    const path = writeSession([titleSlot("slot"), header({ weird: { a: 1.0 } } as object), ...foreignEntries]);
    const odd = `{ "type":"future", "n":12345678901234567890, "id" : "odd","parentId":"17", "timestamp":"x" }\r\n`;
    writeFileSync(path, readFileSync(path, "utf8") + odd);
    const before = readFileSync(path);
    const session = await store.open(path);
    session.appendMessage(user("mine"));
    session.setLabel("04", "label");
    session.setName("renamed");
    session.close();
    const after = readFileSync(path);
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    const again = await store.open(path);
    expect(again.name).toBe("renamed");
    expect([...again.entries()].slice(0, foreignEntries.length) as unknown[]).toEqual(foreignEntries);
    again.close();
  });

  test("keep the title slot byte for byte, and unknown fields, when the whole file is rewritten", async () => {
    const { store } = testStore();
    const slot = titleSlot("slöt");
    const path = writeSession([
      slot,
      header({ version: 2, previousSessionFiles: ["/x"] } as object),
      ...foreignEntries,
    ]);
    const session = await store.open(path);
    session.appendMessage(user("mine"));
    session.close();
    const after = readFileSync(path);
    expect(after.subarray(0, 256).toString("utf8")).toBe(`${slot}\n`);
    const again = await store.open(path);
    expect(again.header).toMatchObject({ version: 3, previousSessionFiles: ["/x"] });
    expect([...again.entries()].slice(0, foreignEntries.length) as unknown[]).toEqual(foreignEntries);
    again.close();
  });

  test("have a name in the entries, else in the slot, else in the header", async () => {
    const { store } = testStore();
    const named = header({ title: "header" });
    const info = (name?: string) => stateEntry("session_info", "x", null, name === undefined ? {} : { name });
    const files: [(object | string)[], string | undefined][] = [
      [[header()], undefined],
      [[named], "header"],
      [[titleSlot("slot"), named], "slot"],
      [[titleSlot("slot"), named, info("entry")], "entry"],
      [[titleSlot("slot"), named, info("entry"), stateEntry("title_change", "y", "x", { title: "last" })], "last"],
      [[named, info()], undefined],
    ];
    for (const [records, name] of files) {
      const session = await store.open(writeSession(records));
      expect(session.name).toBe(name);
      session.close();
    }
  });

  test("find their images in their own directory", async () => {
    const { store } = testStore();
    const home = freshDirectory();
    const bytes = Buffer.from(imageData(5), "base64");
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    mkdirSync(join(home, "blobs"));
    mkdirSync(join(home, "sessions", "-project"), { recursive: true });
    writeFileSync(join(home, "blobs", hash), bytes);
    const image = { type: "image" as const, data: `blob:sha256:${hash}`, mimeType: "image/png" };
    const missing = { ...image, data: `blob:sha256:${"0".repeat(64)}` };
    const path = writeSession(
      [header(), messageEntry("a", null, { ...user(""), content: [image, missing] })],
      join(home, "sessions", "-project", "s.jsonl"),
    );
    const session = await store.open(path);
    expect(session.buildContext().messages[0]).toMatchObject({
      content: [
        { type: "image", data: imageData(5), mimeType: "image/png" },
        { type: "text", text: "[image unavailable]" },
      ],
    });
    expect(session.entry("a")).toMatchObject({ message: { content: [image, missing] } });
    const branch = session.clone();
    expect(dirname(branch.sessionFile as string)).toBe(dirname(path));
    expect(branch.buildContext().messages).toEqual(session.buildContext().messages);
    for (const each of [session, branch]) each.close();
  });
});

describe("both spellings", () => {
  const entryOf = (fields: object) => stateEntry("x", "a", null, fields) as unknown as SessionEntry;

  test("of a model are read", () => {
    expect(modelOf({ provider: "p", modelId: "m" })).toEqual({ provider: "p", modelId: "m" });
    expect(modelOf({ model: "p/a/b" })).toEqual({ provider: "p", modelId: "a/b" });
    for (const model of ["p", "/m", "p/", 3, undefined]) expect(modelOf({ model })).toBeUndefined();
    expect(isEntry(entryOf({ type: "model_change", model: "p" }), "model_change")).toBe(false);
  });

  test("of a summary's origin are read, and written", () => {
    expect([{ fromHook: true }, { fromExtension: true }, { fromHook: false }, {}].map(isFromExtension)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const session = testStore().store.createInMemory();
    expect(session.appendCompaction({ summary: "s", tokensBefore: 1, fromExtension: true })).toMatchObject({
      fromHook: true,
      fromExtension: true,
    });
    expect(session.appendBranchSummary({ summary: "s", fromId: "root" })).not.toHaveProperty("fromHook");
  });
});

test("a file with nothing intact except the order of its lines still yields its text", async () => {
  const { store } = testStore();
  const session = await store.open(
    writeSession([
      header(),
      { type: "message", message: { role: "assistant", content: "plain" } },
      { type: "message", message: null },
    ]),
  );
  expect(texts(session.buildContext().messages)).toEqual(["plain"]);
  expect(session.buildContext().messages[0]).toMatchObject({ stopReason: "stop", usage: { input: 0 } });
  session.close();
});
