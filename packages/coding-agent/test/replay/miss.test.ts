import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersIn, exchanges, freshDirectory, hello, network, says } from "../support/replay/exchanges.ts";

async function recorded(...conversations: string[][]): Promise<string> {
  const directory = freshDirectory();
  const { ask } = exchanges({ record: directory }, network(hello).fetch);
  for (const texts of conversations) await ask({ context: says(...texts) });
  return directory;
}

async function missOf(directory: string, ...texts: string[]): Promise<string[]> {
  const { message, failure } = await exchanges({ replay: directory }).ask({ context: says(...texts) });
  expect(failure).toEqual({ kind: "not_found" }); // of a kind that is not retried
  expect(message.stopReason).toBe("error");
  return (message.errorMessage ?? "").split("\n");
}

describe("a request without a recording", () => {
  test("names the nearest recording and its first difference", async () => {
    const directory = await recorded(["one"], ["one", "two", "three words here"], ["other"]);
    const [title, nearest, difference, file] = await missOf(directory, "one", "two", "three words there");
    const key = /^No recording for this request \(key ([0-9a-f]{12})\)$/.exec(title ?? "")?.[1];
    expect(nearest).toMatch(/^Nearest recording: 0002-[0-9a-f]{12}, /);
    expect(difference).toEndWith('recorded "three words here", now "three words there"');
    expect(file).toBe(`The full difference: ${join(directory, "misses", `${key}.diff`)}`);
  });

  test("writes the whole request and a diff to private files that are not committed", async () => {
    const directory = await recorded(["Say hello"]);
    const [title] = await missOf(directory, "Say goodbye");
    const key = title?.slice(-13, -1) as string;
    const misses = join(directory, "misses");
    const request = JSON.parse(readFileSync(join(misses, `${key}.request.json`), "utf8"));
    expect(JSON.stringify(request.body.messages)).toContain("Say goodbye");
    const diff = readFileSync(join(misses, `${key}.diff`), "utf8").split("\n");
    expect(diff.filter((line) => /^[-+] /.test(line)).map((line) => line.replace(/\s+/g, " "))).toEqual([
      '- "text": "Say hello",',
      '+ "text": "Say goodbye",',
    ]);
    expect(readFileSync(join(misses, ".gitignore"), "utf8")).toBe("*\n");
    expect(statSync(misses).mode & 0o777).toBe(0o700);
    expect(statSync(join(misses, `${key}.diff`)).mode & 0o777).toBe(0o600);
  });

  test("reports a missing answer if only the request was recorded", async () => {
    const directory = await recorded(["a"], ["b"]);
    rmSync(answersIn(directory)[1] as string);
    expect((await missOf(directory, "b"))[1]).toMatch(/^The recording 0002-[0-9a-f]{12} has no answer/);
  });

  test("is explained even if nothing can be written or other requests are unreadable", async () => {
    const directory = await recorded(["a"], ["b"]);
    writeFileSync((answersIn(directory)[0] as string).replace(".stream.jsonl", ".request.json"), "{");
    writeFileSync(join(directory, "misses"), "in the way");
    const lines = await missOf(directory, "c");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toStartWith("Nearest recording: 0002-");
  });

  test("keeps secrets out of the message and the files", async () => {
    const directory = await recorded(["a"]);
    const { ask } = exchanges({ replay: directory, secrets: () => ["the-secret-of-ci"] });
    const { message } = await ask({ context: says("use the-secret-of-ci") });
    expect(message.errorMessage).toContain('now "use <secret>"');
    const key = /key ([0-9a-f]{12})/.exec(message.errorMessage ?? "")?.[1];
    expect(readFileSync(join(directory, "misses", `${key}.diff`), "utf8")).not.toContain("the-secret-of-ci");
  });

  test("replays from a read-only directory", async () => {
    const directory = await recorded(["a"]);
    chmodSync(directory, 0o500);
    const { failure } = await exchanges({ replay: directory }).ask({ context: says("a") });
    chmodSync(directory, 0o700);
    expect(failure).toBeUndefined();
    expect(existsSync(join(directory, "misses"))).toBe(false);
  });
});
