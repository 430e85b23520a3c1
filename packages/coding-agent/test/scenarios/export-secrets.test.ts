import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPageFile } from "../support/export/read-page.ts";
import { runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine } from "../support/scenarios/stored-sessions.ts";

// None of these has a format that identifies it as a key.
const SECRETS = {
  "a key in auth.json": "plain and in the file",
  "a key that auth.json names by a variable": "named by a variable",
  "a token of another kind in auth.json": "a token that only others use",
  "a key of models.json": "of a provider of one's own",
  "a key of a known provider": "the usual variable",
  "a variable whose name says what it is": 'quotes "and" <tags> \\ and more',
  "a variable that children inherit": "passed on all the same",
};
const FORM = "ghp_aB3dE5gH7jK9mN1pQ4sT6vW8";
const HARMLESS = "a value of no interest";

interface Place extends Machine {
  file: string;
}

/** A session with every secret in every place. */
function place(): Place {
  const base = machine({
    NAMED_BY_AUTH: SECRETS["a key that auth.json names by a variable"],
    ANTHROPIC_API_KEY: SECRETS["a key of a known provider"],
    DEPLOY_PASSWORD: SECRETS["a variable whose name says what it is"],
    GITHUB_TOKEN: SECRETS["a variable that children inherit"],
    PLAIN: HARMLESS,
  });
  const home = base.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  const auth = {
    one: { type: "api_key", key: SECRETS["a key in auth.json"] },
    two: { type: "api_key", key: "NAMED_BY_AUTH" },
    three: { type: "oauth", tokens: { refresh: SECRETS["a token of another kind in auth.json"] } },
  };
  const models = {
    providers: {
      own: {
        baseUrl: "http://127.0.0.1:9",
        api: "openai-completions",
        apiKey: SECRETS["a key of models.json"],
        models: [{ id: "m" }],
      },
    },
  };
  writeFileSync(join(home, "auth.json"), JSON.stringify(auth), { mode: 0o600 });
  writeFileSync(join(home, "models.json"), JSON.stringify(models));
  writeFileSync(join(home, "settings.json"), JSON.stringify({ "env.pass": ["GITHUB_TOKEN"] }));
  const file = join(base.root, "session.jsonl");
  writeFileSync(
    file,
    entries(base.root)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(""),
  );
  return { ...base, file, [Symbol.dispose]: () => base[Symbol.dispose]() };
}

function entries(cwd: string): object[] {
  const at = "2026-01-01T00:00:00.000Z";
  let last: string | null = null;
  const list: object[] = [{ type: "session", version: 3, id: "s1", timestamp: at, cwd }];
  const add = (entry: object, id = `e${list.length}`) => {
    list.push({ id, parentId: last, timestamp: at, ...entry });
    last = id;
  };
  for (const secret of [...Object.values(SECRETS), FORM, HARMLESS]) {
    const text = `before ${secret} after`;
    const block = { type: "text", text };
    const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
    const call = {
      type: "toolCall",
      id: `call ${secret}`,
      name: `tool ${secret}`,
      arguments: { command: text, [secret]: [secret] },
    };
    add({ type: "message", message: { role: "user", content: [block], timestamp: 1 } });
    add({
      type: "message",
      message: {
        role: "assistant",
        content: [{ type: "thinking", thinking: text }, block, call],
        usage,
        stopReason: "error",
        errorMessage: text,
        provider: "p",
        model: text,
        api: "a",
        timestamp: 2,
      },
    });
    add({
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [block],
        details: { headers: { "x-any": text }, json: JSON.stringify({ text }) },
        isError: false,
        timestamp: 3,
      },
    });
    add({
      type: "message",
      message: { role: "bashExecution", command: text, output: text, exitCode: 0, timestamp: 4 },
    });
    add({ type: "custom", customType: `type ${secret}`, data: { deep: [{ text }], type: "image", note: text } });
    add({ type: "custom_message", customType: "note", content: text, display: true, details: { text } });
    add({ type: "compaction", summary: text, firstKeptEntryId: "e1", tokensBefore: 1, details: { readFiles: [text] } });
    add({ type: "branch_summary", summary: text, fromId: "e1" });
    add({ type: "label", targetId: "e1", label: text });
    add({ type: "session_info", name: text });
    add({ type: "something_later", text }, `id ${secret}`);
  }
  return list;
}

/** Returns the names of the secrets that are readable in the page. */
function shownIn(path: string): string[] {
  const { html, index, bodies } = readPageFile(path);
  expect(index.rows.length).toBe(bodies.length);
  expect(new Set(index.rows.map(({ kind }) => kind)).size).toBeGreaterThan(4);
  expect(html).toContain(HARMLESS);
  const all = { ...SECRETS, "what looks like a key": FORM };
  // As it appears in JSON and in the page's title.
  const isShown = (secret: string) =>
    [secret, JSON.stringify(secret).slice(1, -1).replaceAll("<", "\\u003c"), Bun.escapeHTML(secret)].some((text) =>
      html.includes(text),
    );
  return Object.entries(all).flatMap(([name, secret]) => (isShown(secret) ? [name] : []));
}

const ALL = [...Object.keys(SECRETS), "what looks like a key"];
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("--export", () => {
  test.each<[string[], string[]]>([
    [[], []],
    [["--redact"], []],
    [["--redact", "--no-redact"], []],
    [["--no-redact"], ALL],
  ])("with %j shows %j", async (flags, shown) => {
    using at = place();
    const { code, stdout } = await runProgram(["--export", at.file, "page.html", ...flags], at);
    expect(code).toBe(0);
    expect(shownIn(stdout.trim())).toEqual(shown);
    expect(modeOf(stdout.trim())).toBe(0o600);
  });

  test("reports a broken auth.json, and masks everything else", async () => {
    using at = place();
    writeFileSync(join(at.env.PINTLE_HOME as string, "auth.json"), "{ broken");
    const { code, stdout, stderr } = await runProgram(["--export", at.file, "page.html"], at);
    expect([code, stderr.includes("auth.json")]).toEqual([0, true]);
    expect(shownIn(stdout.trim())).toEqual([
      "a key in auth.json",
      "a key that auth.json names by a variable",
      "a token of another kind in auth.json",
    ]);
  });
});

describe("export_html", () => {
  test("masks secrets unless the host turns it off, and makes even an existing page private", async () => {
    using at = place();
    await using rpc = await startRpc(["--model", "pintle/offline", "--session", at.file], at);
    const path = join(at.root, "page.html");
    for (const [params, shown] of [
      [{}, []],
      [{ redact: true }, []],
      [{ redact: false }, ALL],
    ] as const) {
      writeFileSync(path, "<!doctype html>");
      chmodSync(path, 0o644);
      expect((await rpc.call("export_html", { outputPath: path, ...params })).data).toEqual({ path });
      expect(shownIn(path)).toEqual([...shown]);
      expect(modeOf(path)).toBe(0o600);
    }
    expect(await rpc.call("export_html", { outputPath: path, redact: "no" })).toMatchObject({ success: false });
    expect(readFileSync(at.file, "utf8")).toContain(FORM);
  });

  test("also masks a key given on the command line", async () => {
    using at = place();
    const key = "given for this process";
    await using rpc = await startRpc(["--model", "own/m", "--api-key", key, "--session", at.file], at);
    await rpc.call("bash", { command: `echo '${key}'` });
    const path = join(at.root, "page.html");
    await rpc.call("export_html", { outputPath: path });
    expect(readFileSync(path, "utf8")).not.toContain(key);
  });
});
