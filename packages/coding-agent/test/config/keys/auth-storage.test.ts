import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { AuthStorage } from "../../../src/config/keys/auth-storage.ts";
import type { RunCommand } from "../../../src/config/keys/secret-value.ts";
import { tempHome } from "../../support/config/temp-home.ts";

function apiKey(key: string) {
  return { type: "api_key", key };
}

function counting(stdout: () => string, exitCode = () => 0) {
  const commands: string[] = [];
  const runCommand: RunCommand = async (command) => {
    commands.push(command);
    return { stdout: stdout(), exitCode: exitCode() };
  };
  return { commands, runCommand };
}

describe("order of the sources", () => {
  const env = { OPENAI_API_KEY: "env-key" };
  const file = { openai: apiKey("file-key") };
  test.each([
    ["run time first", { file, env, runtime: "runtime-key", configured: "models-key" }, "runtime-key"],
    ["then auth.json", { file, env, configured: "models-key" }, "file-key"],
    ["then the environment", { file: {}, env, configured: "models-key" }, "env-key"],
    ["then models.json", { file: {}, env: {}, configured: "models-key" }, "models-key"],
    ["else nothing", { file: {}, env: {} }, undefined],
    ["an empty variable counts as unset", { file: {}, env: { OPENAI_API_KEY: "" } }, undefined],
  ] as [
    string,
    { file: object; env: Record<string, string>; runtime?: string; configured?: string },
    string | undefined,
  ][])("%s", async (_name, { file, env, runtime, configured }, expected) => {
    using home = tempHome({ "auth.json": file });
    const auth = AuthStorage.create(home.path("auth.json"), { env });
    if (runtime) auth.setRuntimeApiKey("openai", runtime);
    expect(auth.hasKey("openai", configured)).toBe(expected !== undefined);
    expect(await auth.resolveKey("openai", configured)).toBe(expected);
  });

  test("the first of several variables wins", async () => {
    const auth = AuthStorage.inMemory({ env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_OAUTH_TOKEN: "token" } });
    expect(await auth.resolveKey("anthropic")).toBe("token");
  });

  test("an unknown provider has no variables", async () => {
    const auth = AuthStorage.inMemory({ env: { MINE_API_KEY: "key" } });
    expect(await auth.resolveKey("mine")).toBeUndefined();
  });

  test("auth.json may name a variable", async () => {
    using home = tempHome({ "auth.json": { openai: apiKey("WORK_KEY") } });
    const auth = AuthStorage.create(home.path("auth.json"), { env: { WORK_KEY: "work", OPENAI_API_KEY: "own" } });
    expect(await auth.resolveKey("openai")).toBe("work");
  });
});

describe("the source of a key is reported without the key", () => {
  const env = { OPENAI_API_KEY: "env-key", MY_KEY: "secret" };
  test.each([
    ["models.json", {}, {}, "models-key"],
    ["MY_KEY, named in models.json", {}, { MY_KEY: "secret" }, "MY_KEY"],
    ["OPENAI_API_KEY", {}, env, "models-key"],
    ["auth.json", { openai: apiKey("file-key") }, env, "models-key"],
    ["MY_KEY, named in auth.json", { openai: apiKey("MY_KEY") }, env, undefined],
    ["a command in auth.json", { openai: apiKey("!pass show key") }, env, undefined],
    [undefined, {}, {}, undefined],
  ])("%s", (source, file, env: Record<string, string>, configured) => {
    using home = tempHome({ "auth.json": file });
    const auth = AuthStorage.create(home.path("auth.json"), { env });
    expect(auth.keySource("openai", configured)).toBe(source as string);
    auth.setRuntimeApiKey("openai", "runtime-key");
    expect(auth.keySource("openai", configured)).toBe("--api-key");
  });
});

describe("commands", () => {
  test("in auth.json run once per process, even if requested concurrently", async () => {
    using home = tempHome({ "auth.json": { openai: apiKey("!get") } });
    const shell = counting(() => "key\n");
    const auth = AuthStorage.create(home.path("auth.json"), shell);
    expect(auth.hasKey("openai")).toBe(true);
    expect(shell.commands).toEqual([]);
    const keys = await Promise.all([auth.resolveKey("openai"), auth.resolveKey("openai")]);
    expect([...keys, await auth.resolveKey("openai")]).toEqual(["key", "key", "key"]);
    expect(shell.commands).toEqual(["get"]);
  });

  test("of models.json run for each request", async () => {
    const shell = counting(() => `key-${shell.commands.length}`);
    const auth = AuthStorage.inMemory(shell);
    expect(auth.hasKey("mine", "!get")).toBe(true);
    expect([await auth.resolveKey("mine", "!get"), await auth.resolveKey("mine", "!get")]).toEqual(["key-1", "key-2"]);
  });

  test("that fail are retried, and no weaker source is used instead", async () => {
    using home = tempHome({ "auth.json": { openai: apiKey("!get") } });
    const shell = counting(
      () => "key",
      () => (shell.commands.length === 1 ? 1 : 0),
    );
    const auth = AuthStorage.create(home.path("auth.json"), { ...shell, env: { OPENAI_API_KEY: "env-key" } });
    const failure = await auth.resolveKey("openai").catch((error: Error) => error.message);
    expect(failure).toBe("The API key of openai: its command ended with exit code 1");
    expect(await auth.resolveKey("openai")).toBe("key");
  });
});

describe("the file", () => {
  const SECRET = "sk-never-shown";
  test.each([
    ["is not JSON", `{"openai": ${SECRET}}`, "is not valid JSON at line 1, column 12"],
    ["is no object", `["${SECRET}"]`, "must contain an object"],
    ["has an entry that is no object", { openai: SECRET }, "openai must be an object"],
    ["has no type", { openai: { key: SECRET } }, "openai.type must be api_key"],
    ["has another type", { openai: { type: "oauth", access: SECRET } }, "openai.type must be api_key"],
    ["has no key", { openai: { type: "api_key" } }, "openai.key must be a string"],
    ["has a key that is no string", { openai: { type: "api_key", key: [SECRET] } }, "openai.key must be a string"],
    ["has an empty key", { openai: apiKey("") }, "openai.key must not be empty"],
    [
      "has a field too many",
      { openai: { ...apiKey(SECRET), note: SECRET } },
      "openai.note is not a known field and is ignored",
    ],
  ])("that %s is reported with its path, without its content", (_name, content, expected) => {
    using home = tempHome({ "auth.json": content });
    const problems: string[] = [];
    const auth = AuthStorage.create(home.path("auth.json"), { report: (text) => problems.push(text) });
    auth.hasKey("openai");
    auth.hasKey("openai");
    expect(problems).toEqual([`${home.path("auth.json")}: ${expected}`]);
    expect(problems.join()).not.toContain(SECRET);
  });

  test("that is wrong in one entry keeps the others", async () => {
    using home = tempHome({ "auth.json": { openai: 1, groq: apiKey("good") } });
    const auth = AuthStorage.create(home.path("auth.json"));
    expect([await auth.resolveKey("openai"), await auth.resolveKey("groq")]).toEqual([undefined, "good"]);
  });

  test("may start with a byte order mark", async () => {
    using home = tempHome({ "auth.json": `\uFEFF${JSON.stringify({ openai: apiKey("good") })}` });
    expect(await AuthStorage.create(home.path("auth.json")).resolveKey("openai")).toBe("good");
  });

  test("may be missing", async () => {
    using home = tempHome();
    const problems: string[] = [];
    const auth = AuthStorage.create(home.path("auth.json"), { report: (text) => problems.push(text) });
    expect(await auth.resolveKey("openai")).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test("that is a directory is reported", () => {
    using home = tempHome();
    const problems: string[] = [];
    AuthStorage.create(home.dir, { report: (text) => problems.push(text) }).hasKey("openai");
    expect(problems).toContain(`${home.dir}: is not a file`);
  });

  test("that others can read is used, with a warning", async () => {
    using home = tempHome({ "auth.json": { openai: apiKey("good") } });
    chmodSync(home.path("auth.json"), 0o644);
    const problems: string[] = [];
    const auth = AuthStorage.create(home.path("auth.json"), { report: (text) => problems.push(text) });
    expect(await auth.resolveKey("openai")).toBe("good");
    expect(problems).toEqual([`${home.path("auth.json")}: other users can read this file; run chmod 600 on it`]);
  });

  test("is not read before a key is needed", () => {
    using home = tempHome({ "auth.json": "broken" });
    const problems: string[] = [];
    AuthStorage.create(home.path("auth.json"), { report: (text) => problems.push(text) });
    expect(problems).toEqual([]);
  });
});

test("every key that was seen is known for redaction; a placeholder is not", async () => {
  using home = tempHome({ "auth.json": { groq: apiKey("from-file"), xai: apiKey("!get"), ollama: apiKey("ollama") } });
  const auth = AuthStorage.create(home.path("auth.json"), {
    env: { OPENAI_API_KEY: "from-env" },
    ...counting(() => "from-command"),
  });
  expect(auth.knownSecrets()).toEqual(["from-env"]);
  auth.setRuntimeApiKey("mistral", "from-flag");
  await auth.resolveKey("xai");
  await auth.resolveKey("mine", "from-models");
  expect(auth.knownSecrets().toSorted()).toEqual(["from-command", "from-env", "from-file", "from-flag", "from-models"]);
});

test("a variable that a stored key names in shell syntax counts as a key variable, and a host cannot store such a name", async () => {
  using home = tempHome({ "auth.json": { openai: apiKey("$WORK_KEY") } });
  const auth = AuthStorage.create(home.path("auth.json"), { env: { WORK_KEY: "work" } });
  expect(await auth.resolveKey("openai")).toBe("work");
  expect([auth.keyVariables().at(-1), auth.keySource("openai")]).toEqual(["WORK_KEY", "WORK_KEY, named in auth.json"]);
  expect(await auth.storeKey("openai", "$OTHER").catch(String)).toContain("is the name of a variable");
});
