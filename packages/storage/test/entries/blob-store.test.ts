import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ImageContent } from "@pintle/ai";
import { assistant, imageData, toolResult, user } from "../support/messages.ts";
import { recordsOf, stateOf, testStore } from "../support/stores.ts";
import { recordingDisk } from "../support/test-disk.ts";

const image = (data: string): ImageContent => ({ type: "image", data, mimeType: "image/png" });
const hashOf = (bytes: string | Buffer) => new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const referenceTo = (data: string) => `blob:sha256:${hashOf(Buffer.from(data, "base64"))}`;

describe("large images", () => {
  test("are stored next to the sessions, named by their bytes, and are restored unchanged", async () => {
    const { store, home } = testStore();
    const session = store.create();
    const data = imageData(1);
    const message = { ...user(""), content: [image(data), image("c21hbGw=")] };
    const entry = session.appendMessage(message);
    const [, line] = recordsOf(session.sessionFile as string);
    expect(line).toMatchObject({ message: { content: [image(referenceTo(data)), image("c21hbGw=")] } });
    expect<unknown>(entry).toEqual(line);
    const blob = join(home, "blobs", hashOf(Buffer.from(data, "base64")));
    expect(readFileSync(blob).toString("base64")).toBe(data);
    expect(statSync(blob).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, "blobs")).mode & 0o777).toBe(0o700);
    expect(message.content[0]).toEqual(image(data));
    expect(session.buildContext().messages).toEqual([message]);
    session.close();
    const again = await store.open(session.sessionFile as string);
    expect(again.buildContext().messages).toEqual([message]);
    again.close();
  });

  test("in any content or images array, and nowhere else", () => {
    const { store, home } = testStore();
    const session = store.create();
    const [a, b, c] = [imageData(1), imageData(2), imageData(3)] as [string, string, string];
    const details = { images: [image(b)], nested: [{ content: [image(b)] }], picture: image(c), list: [image(c)] };
    session.appendMessage({ ...toolResult("x"), content: [image(a)], details });
    session.appendCustomMessage({ role: "custom", customType: "c", content: [image(a)], display: true, timestamp: 1 });
    const [, result, custom] = recordsOf(session.sessionFile as string);
    expect(result).toMatchObject({
      message: {
        content: [image(referenceTo(a))],
        details: {
          images: [image(referenceTo(b))],
          nested: [{ content: [image(referenceTo(b))] }],
          picture: image(c),
          list: [image(c)],
        },
      },
    });
    expect(custom).toMatchObject({ content: [image(referenceTo(a))] });
    expect(readdirSync(join(home, "blobs"))).toHaveLength(2);
    expect(session.buildContext().messages[0]).toMatchObject({ content: [image(a)], details });
    session.close();
  });

  test("from 1024 characters on", () => {
    const { store } = testStore();
    const session = store.create();
    const sizes = [765, 768].map((bytes) => image(imageData(1, bytes)));
    expect(sizes.map(({ data }) => data.length)).toEqual([1020, 1024]);
    session.appendMessage({ ...user(""), content: sizes });
    const stored = recordsOf(session.sessionFile as string)[1] as { message: { content: ImageContent[] } };
    expect(stored.message.content.map(({ data }) => data.startsWith("blob:"))).toEqual([false, true]);
    session.close();
  });

  test("data that is not plain base64 stays in the line, so that it comes back as it was", () => {
    const { store } = testStore();
    const session = store.create();
    const odd = `${imageData(1)}\n${"_-".repeat(50)}`;
    session.appendMessage({ ...user(""), content: [image(odd)] });
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({ message: { content: [image(odd)] } });
    session.close();
  });

  test("the same image is written once, and again only when its file was cut off", () => {
    const { store, home } = testStore();
    const session = store.create();
    const data = imageData(4);
    const show = () => session.appendMessage({ ...user(""), content: [image(data)] });
    show();
    const blob = join(home, "blobs", hashOf(Buffer.from(data, "base64")));
    const { ino } = statSync(blob);
    show();
    expect(statSync(blob).ino).toBe(ino);
    truncateSync(blob, 10);
    show();
    expect(readFileSync(blob).toString("base64")).toBe(data);
    expect(readdirSync(join(home, "blobs"))).toHaveLength(1);
    session.close();
  });

  test("the blob is there before the line that names it", () => {
    const events: string[] = [];
    const disk = recordingDisk(events);
    const { store } = testStore({ disk });
    const session = store.create();
    session.appendMessage(user("a"));
    events.length = 0;
    session.appendMessage({ ...user(""), content: [image(imageData(5))] });
    expect(events).toEqual(["write", "fsync", "rename", "fsync", "write"]);
    session.close();
  });

  test("where blobs cannot be written they stay in the line", async () => {
    const { store, home, notices } = testStore();
    writeFileSync(join(home, "blobs"), "not a directory");
    const session = store.create();
    const message = { ...user(""), content: [image(imageData(6))] };
    session.appendMessage(message);
    session.close();
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({ message });
    expect(notices).toEqual([]);
  });

  test("a lost blob becomes text in the context; the reference stays in the file", async () => {
    const { store, home } = testStore();
    const session = store.create();
    session.appendMessage({ ...user(""), content: [image(imageData(7))] });
    rmSync(join(home, "blobs"), { recursive: true });
    expect(session.buildContext().messages).toMatchObject([
      { content: [{ type: "text", text: "[image unavailable]" }] },
    ]);
    session.close();
    const again = await store.open(session.sessionFile as string);
    expect(stateOf(again)).toEqual(stateOf(session));
    again.close();
  });

  test("with `inline` they stay in the line", async () => {
    const { store, home } = testStore({ images: "inline" });
    const session = store.create();
    const message = { ...user(""), content: [image(imageData(8))] };
    session.appendMessage(message);
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({ message });
    expect(readdirSync(home)).toEqual(["sessions"]);
    session.close();
  });

  test("an image_url that is a data URL is stored as the text it is", async () => {
    const { store, home } = testStore();
    const session = store.create();
    const url = `data:image/png;base64,${imageData(9)}`;
    const details = { items: [{ type: "input_image", image_url: url }, { image_url: "https://example.com/a.png" }] };
    session.appendMessage({ ...toolResult("x"), details });
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({
      message: {
        details: { items: [{ image_url: `blob:sha256:${hashOf(url)}` }, { image_url: "https://example.com/a.png" }] },
      },
    });
    expect(readFileSync(join(home, "blobs", hashOf(url)), "utf8")).toBe(url);
    expect(session.buildContext().messages[0]).toMatchObject({ details });
    session.close();
  });

  test("a reference cannot lead out of the blobs", async () => {
    const { store, home } = testStore();
    mkdirSync(join(home, "blobs"));
    writeFileSync(join(home, "secret"), "secret");
    const session = store.create();
    const data = "blob:sha256:../secret";
    session.appendMessage({ ...user(""), content: [image(data)] });
    expect(session.buildContext().messages).toMatchObject([{ content: [image(data)] }]);
    session.close();
  });
});

describe("what is stored", () => {
  test("strings whole, signatures too, whatever their length", () => {
    const { store } = testStore();
    const session = store.create();
    const long = "x".repeat(600_000);
    const message = assistant("");
    message.content = [
      { type: "thinking", thinking: long, thinkingSignature: long },
      { type: "redactedThinking", data: long },
      { type: "text", text: long, textSignature: long },
      {
        type: "toolCall",
        id: "a",
        name: "t",
        arguments: { partialJson: long, jsonlEvents: [1] },
        thoughtSignature: long,
      },
    ];
    session.appendMessage(message);
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({ message });
    session.close();
  });

  test("nothing that only mattered while it streamed", () => {
    const { store } = testStore();
    const session = store.create();
    const call = { type: "toolCall" as const, id: "a", name: "t", arguments: {} };
    const streamed = { ...assistant(""), content: [{ ...call, partialJson: "{" }] };
    const result = { ...toolResult("a"), details: { jsonlEvents: [1], kept: 2 } };
    session.appendMessage(streamed);
    session.appendMessage(result);
    expect(recordsOf(session.sessionFile as string).slice(1)).toMatchObject([
      { message: { content: [call] } },
      { message: { details: { kept: 2 } } },
    ]);
    expect(readFileSync(session.sessionFile as string, "utf8")).not.toMatch(/partialJson|jsonlEvents/);
    expect(session.entryIdOf(streamed)).toBe(session.entries()[0]?.id as string);
    session.close();
  });

  test("what JSON cannot express costs only itself", async () => {
    const { store } = testStore();
    const session = store.create();
    const details: Record<string, unknown> = { big: 12345678901234567890n, twice: [{ a: 1 }] };
    details.self = details;
    details.again = details.twice;
    session.appendMessage({ ...toolResult("a"), content: [image(imageData(1))], details });
    expect(recordsOf(session.sessionFile as string)[1]).toMatchObject({
      message: {
        content: [image(referenceTo(imageData(1)))],
        details: { big: "12345678901234567890", self: "[Circular]", twice: [{ a: 1 }], again: [{ a: 1 }] },
      },
    });
    session.close();
    const again = await store.open(session.sessionFile as string);
    expect(stateOf(again)).toEqual(stateOf(session));
    again.close();
  });
});
