import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { runProgram } from "../support/program.ts";
import { says } from "../support/scenarios/chat-server.ts";
import { rawExchange } from "../support/scenarios/raw-exchange.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

// A named model is used, or the program exits with code 2 and a message; nothing is sent to any other provider.

type Files = Record<string, unknown>;

function configured(files: Files, env: Record<string, string> = {}): Machine {
  const place = machine({ ANTHROPIC_API_KEY: "sk-of-somebody-else", ...env });
  const home = place.env.PINTLE_HOME as string;
  mkdirSync(home, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(home, name), text, { mode: 0o600 });
  }
  return place;
}

const api = "openai-completions";
const mine = { baseUrl: "http://127.0.0.1:9/v1", api, models: [{ id: "m" }] };
const CASES: [string, Files, string[], RegExp][] = [
  ["a typo in defaultModel", { "settings.json": { defaultModel: "claude-opsu" } }, [], /"claude-opsu"/],
  ["a typo in defaultProvider", { "settings.json": { defaultProvider: "opnai" } }, [], /"opnai"/],
  ["a defaultModel without key", { "settings.json": { defaultModel: "gpt-5.1" } }, [], /gpt-5\.1.*no API key/],
  [
    "a defaultModel that is not a string",
    { "settings.json": { defaultModel: 5 } },
    [],
    /defaultModel must be a string/,
  ],
  ["settings.json", { "settings.json": '{\n  "defaultModel": "x"\n  5}' }, [], /settings\.json: .* line 3, column 3\n/],
  ["settings.yml", { "settings.yml": "defaultModel: [x" }, [], /settings\.yml: is not valid YAML/],
  ["models.json", { "models.json": '{ "providers": { mine\n } }' }, [], /models\.json: .* line 1, column 18\n/],
  [
    "an address in models.json",
    { "models.json": { providers: { anthropic: { baseUrl: "proxy.example.com" } } } },
    [],
    /providers\.anthropic\.baseUrl must be an http or https URL/,
  ],
  ["auth.json", { "auth.json": "{" }, [], /auth\.json: .* line 1, column 2\n/],
  [
    "a provider without key as default",
    { "models.json": { providers: { mine } }, "settings.json": { defaultProvider: "mine" } },
    [],
    /mine\/m .*no API key/,
  ],
  ["a provider without key", { "models.json": { providers: { mine } } }, ["--model", "mine/m"], /mine\/m .*no API key/],
  [
    "--model without key",
    {},
    ["--model", "gpt-5.1"],
    /openai\/gpt-5\.1 \(--model\) has no API key. Set OPENAI_API_KEY/,
  ],
  ["--provider without key", {}, ["--provider", "xai"], /has no API key. Set XAI_API_KEY/],
  ["--models without a usable one", {}, ["--models", "gpt-5.1"], /None of --models can be used/],
];

describe("exits with code 2", () => {
  test.each(CASES)("%s", async (_name, files, args, expected) => {
    using place = configured(files);
    const print = await runProgram([...args, "-p", "hello"], place);
    const rpc = await rawExchange(args, place, '{"id":"q","type":"get_state"}\n');
    for (const { code, stdout, stderr } of [print, rpc]) {
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(expected);
      expect(stderr.match(/^pintle: /gm)).toHaveLength(1); // reported once
      expect(stderr).not.toContain("    at ");
    }
    expect(sessionFiles(place.sessionDir)).toEqual([]);
  });

  test("the offline model does not replace a configured one", async () => {
    using place = configured({ "models.json": { providers: { mine } } }, { ANTHROPIC_API_KEY: "" });
    const { code, stdout, stderr } = await runProgram(["-p", "hello"], place);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("mine has no API key");
    const asked = await runProgram(["-p", "hello", "--model", "pintle/offline"], place);
    expect(asked.code).toBe(0);
  });
});

describe("a session uses", () => {
  test.each(["print", "rpc"])("a provider in models.json with its key only in auth.json: %s", async (mode) => {
    await using server = await startLoopbackServer(says("from mine"));
    const providers = { mine: { ...mine, baseUrl: server.url } };
    const auth = { mine: { type: "api_key", key: "sk-mine" } };
    const files = { "models.json": { providers }, "auth.json": auth, "settings.json": { defaultModel: "mine/m" } };
    using place = configured(files);
    if (mode === "print") {
      expect(await runProgram(["-p", "hello"], place)).toMatchObject({ code: 0, stdout: "from mine\n" });
    } else {
      await using rpc = await startRpc([], place);
      await rpc.prompt("hello");
      expect((await rpc.call("get_last_assistant_text")).data.text).toBe("from mine");
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sk-mine"]);
  });

  test("--model provider/unlisted-id, with a notice, and again when the session is resumed", async () => {
    await using server = await startLoopbackServer(says("one"), says("two"));
    using place = configured({ "models.json": { providers: { mine: { ...mine, baseUrl: server.url, apiKey: "k" } } } });
    const first = await runProgram(["-p", "hello", "--model", "mine/brand-new"], place);
    expect(first).toMatchObject({ code: 0, stdout: "one\n" });
    expect(first.stderr).toContain('"brand-new" is not listed for mine: using it as a custom model id');
    expect(await runProgram(["-p", "again", "--continue"], place)).toMatchObject({ code: 0, stdout: "two\n" });
    expect(server.requests.map(({ body }) => body.model)).toEqual(["brand-new", "brand-new"]);
  });
});

test("a session whose model is missing: an error in print mode, a notice over RPC before anything is sent", async () => {
  await using server = await startLoopbackServer(says("one"));
  const providers = { mine: { ...mine, baseUrl: server.url, apiKey: "k" } };
  using place = configured({ "models.json": { providers } });
  await runProgram(["-p", "private", "--model", "mine/m"], place);
  const [file] = sessionFiles(place.sessionDir);
  writeFileSync(join(place.env.PINTLE_HOME as string, "models.json"), JSON.stringify({ providers: {} }));
  const print = await runProgram(["-p", "again", "--session", file as string], place);
  expect({ code: print.code, stdout: print.stdout }).toEqual({ code: 2, stdout: "" });
  expect(print.stderr).toContain("The session's model mine/m is unknown.\nName the model to continue with: --model.");
  await using rpc = await startRpc(["--session", file as string], place);
  const notice = await rpc.until(({ type, source }) => type === "notice" && source === "model");
  expect(notice.message).toStartWith("The session's model mine/m is unknown. Using anthropic/");
});

describe("pintle models list", () => {
  const providers = { mine: { ...mine, apiKey: "k", headers: { "X-Secret": "s" } } };

  test("--json prints what hosts receive about models, without keys", async () => {
    using place = configured({ "models.json": { providers } }, { ANTHROPIC_API_KEY: "" });
    const { code, stdout, stderr } = await runProgram(["models", "list", "--json", "--offline"], place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await using rpc = await startRpc(["--model", "mine/m"], place);
    expect(JSON.parse(stdout)).toEqual((await rpc.call("get_available_models")).data);
    expect(stdout).not.toContain("X-Secret");
  });

  test("prints a table of the matching models without --json", async () => {
    using place = configured({ "models.json": { providers } });
    const { code, stdout } = await runProgram(["models", "mine", "--offline"], place);
    expect({ code, rows: stdout.trim().split("\n").length }).toEqual({ code: 0, rows: 2 });
  });

  test("reports a broken file and exits with code 2", async () => {
    using place = configured({ "models.json": "{" });
    const { code, stderr } = await runProgram(["models", "list", "--json", "--offline"], place);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("line 1, column 2") });
  });
});

describe("an invalid key is reported with its source, without the key itself", () => {
  const ask = async (files: Files, env: Record<string, string>, args: string[] = []) => {
    using place = configured(files, env);
    await using rpc = await startRpc(["--model", "mine/m", ...args], place);
    await rpc.prompt("hello");
    return (await rpc.call("get_messages")).data.messages.at(-1).errorMessage as string;
  };
  const auth = (key: string) => ({ "auth.json": { mine: { type: "api_key", key } } });

  test.each<[string, Files, Record<string, string>, string[], string]>([
    ["auth.json", auth("sk-secret-1"), {}, [], "auth.json"],
    ["a variable", auth("MY_VARIABLE"), { MY_VARIABLE: "sk-secret-1" }, [], "MY_VARIABLE, named in auth.json"],
    ["a command", auth("!echo sk-secret-1"), {}, [], "a command in auth.json"],
    ["the command line", {}, {}, ["--api-key", "sk-secret-1"], "--api-key"],
  ])("rejected by the server, from %s", async (_name, files, env, args, source) => {
    await using server = await startLoopbackServer(sendStatus(401, '{"error":{"message":"bad key sk-secret-1"}}'));
    const models = { "models.json": { providers: { mine: { ...mine, baseUrl: server.url } } } };
    expect(await ask({ ...models, ...files }, env, args)).toBe(`HTTP 401: bad key <secret> (key from ${source})`);
  });

  test("a failing command is reported with its model", async () => {
    const files = { "models.json": { providers: { mine } }, ...auth("!exit 3") };
    expect(await ask(files, {})).toBe("The API key of mine for the model m: its command ended with exit code 3");
    using place = configured(files, {});
    await using rpc = await startRpc(["--model", "mine/m"], place);
    await rpc.prompt("hello");
    expect((await rpc.call("get_messages")).data.messages.at(-1)).toMatchObject({ provider: "mine", model: "m" });
  });
});
