import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import {
  answersIn,
  claudeSays,
  exchanges,
  freshDirectory,
  hello,
  network,
  says,
} from "../../support/replay/exchanges.ts";

describe("files", () => {
  test("are private and human-readable", async () => {
    const directory = join(freshDirectory(), "deep", "recordings");
    await exchanges({ record: directory }, network(hello).fetch).ask({ context: says("hi") });
    const names = readdirSync(directory).sort();
    expect(names).toEqual([
      expect.stringMatching(/^0001-[0-9a-f]{12}\.request\.json$/),
      expect.stringMatching(/^0001-[0-9a-f]{12}\.stream\.jsonl$/),
      "models.json",
    ]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    const [head, first, ...rest] = readFileSync(join(directory, names[1] as string), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(head).toEqual({ status: 200, headers: { "content-type": "text/event-stream" } });
    expect(first).toEqual({ t: expect.any(Number), event: "message_start", data: expect.any(String) });
    expect(rest.at(-1)).toEqual({ t: expect.any(Number), end: "done" });
    const request = JSON.parse(readFileSync(join(directory, names[0] as string), "utf8"));
    expect(Object.keys(request)).toEqual(["api", "body", "model", "path", "provider"]);
    expect(request).toMatchObject({
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-test",
      path: "/messages",
    });
  });

  test("replaces the answers of repeated requests and adds new ones when recording again", async () => {
    const directory = freshDirectory();
    const record = async (said: string, ...prompts: string[]) => {
      const { ask } = exchanges({ record: directory }, network({ body: claudeSays([{ text: said }]) }).fetch);
      for (const prompt of prompts) await ask({ context: says(prompt) });
    };
    await record("old", "a", "b");
    await record("new", "b", "c");
    const { ask } = exchanges({ replay: directory });
    const heard = [];
    for (const prompt of ["a", "b", "c"]) heard.push((await ask({ context: says(prompt) })).message.content);
    expect(heard).toEqual(["old", "new", "new"].map((text) => [{ type: "text", text }]));
    expect(answersIn(directory).map((path) => basename(path).slice(0, 5))).toEqual(["0001-", "0002-", "0003-"]);
  });

  test("loses the recording but not the answer when the disk refuses to write", async () => {
    const directory = freshDirectory();
    const { ask, problems } = exchanges({ record: directory }, network(hello).fetch);
    rmSync(directory, { recursive: true });
    const { failure } = await ask({ context: says("hi") });
    expect(failure).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining("could not be recorded")]);
  });

  test("reports a damaged recording as an error that is not retried", async () => {
    const directory = freshDirectory();
    await exchanges({ record: directory }, network(hello).fetch).ask({ context: says("hi") });
    const file = answersIn(directory)[0] as string;
    const lines = readFileSync(file, "utf8").trim().split("\n");
    for (const damaged of ["", "{nonsense", [...lines.slice(0, 3), "{"].join("\n"), lines.slice(0, 3).join("\n")]) {
      writeFileSync(file, damaged);
      const { failure, message } = await exchanges({ replay: directory }).ask({ context: says("hi") });
      expect(failure).toEqual({ kind: "not_found" });
      expect(message.errorMessage).toContain("The recording of this answer");
    }
  });
});
