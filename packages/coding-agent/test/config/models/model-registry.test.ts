import { describe, expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { catalogueOf, knownProviders, type Model, offlineModel } from "@pintle/ai";
import { AuthStorage, type AuthStorageOptions } from "../../../src/config/keys/auth-storage.ts";
import { ModelRegistry, type ModelRegistryOptions } from "../../../src/config/models/model-registry.ts";
import { tempHome } from "../../support/config/temp-home.ts";

interface Setup extends AuthStorageOptions, ModelRegistryOptions {
  providers?: Record<string, unknown>;
  authFile?: Record<string, unknown>;
}

function setUp({ providers, authFile, offline = true, ...options }: Setup = {}) {
  const home = tempHome({
    ...(providers && { "models.json": { providers } }),
    ...(authFile && { "auth.json": authFile }),
  });
  const problems: string[] = [];
  const report = (text: string) => problems.push(text.replace(`${home.dir}/`, ""));
  const auth = AuthStorage.create(home.path("auth.json"), { report, ...options });
  const registry = ModelRegistry.create(auth, home.path("models.json"), { report, offline });
  return { home, auth, registry, problems, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

function names(models: Model[]): string[] {
  return models.map(({ provider, id }) => `${provider}/${id}`);
}

function catalogued(provider: string): string[] {
  return names(catalogueOf(provider).map(({ model }) => model));
}

function builtIn(provider: string, id: string): Model {
  const entry = catalogueOf(provider).find(({ model }) => model.id === id);
  if (!entry) throw new Error(`not in the catalogue: ${provider}/${id}`);
  return entry.model;
}

const mine = { baseUrl: "https://llm.example.com/v1", api: "openai-completions", apiKey: "sk-mine" };

describe("available models", () => {
  test("without a file: the catalogue, one model per other provider, and the offline model last", () => {
    using setup = setUp();
    const all = setup.registry.getAll();
    const unlisted = all.filter(({ cost, provider }) => cost.output === 0 && provider !== "pintle");
    expect(names(unlisted)).toEqual(["huggingface/openai/gpt-oss-120b"]);
    const listed = knownProviders.flatMap(({ id }) => catalogueOf(id));
    expect(all).toHaveLength(listed.length + unlisted.length + 1);
    expect(setup.registry.find("huggingface", "openai/gpt-oss-120b")).toEqual({
      id: "openai/gpt-oss-120b",
      name: "openai/gpt-oss-120b",
      provider: "huggingface",
      api: "openai-completions",
      baseUrl: "https://router.huggingface.co/v1",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 16_384,
    });
    expect(all.at(-1)).toBe(offlineModel);
    expect(setup.problems).toEqual([]);
  });

  test("a user's own model gets the defaults", () => {
    using setup = setUp({ providers: { mine: { ...mine, models: [{ id: "coder:30b" }] } } });
    expect(setup.registry.find("mine", "coder:30b")).toEqual({
      id: "coder:30b",
      name: "coder:30b",
      provider: "mine",
      api: "openai-completions",
      baseUrl: "https://llm.example.com/v1",
      reasoning: false,
      input: ["text"],
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 16_384,
    });
  });

  test("the model's compat overrides that of the provider, key by key", () => {
    using setup = setUp({
      providers: {
        mine: {
          ...mine,
          compat: { supportsStore: true, supportsToolChoice: true, extraBody: { a: 1, deep: { x: 1, y: 1 } } },
          models: [{ id: "m", compat: { supportsStore: false, extraBody: { deep: { y: 2 } } } }],
        },
      },
    });
    expect(setup.registry.find("mine", "m")?.compat).toEqual({
      supportsStore: false,
      supportsToolChoice: true,
      extraBody: { a: 1, deep: { x: 1, y: 2 } },
    });
  });

  test("a listed model changes a built-in one of the same id and keeps its place", () => {
    using setup = setUp({ providers: { openai: { models: [{ id: "gpt-5.1", maxTokens: 9 }, { id: "gpt-7" }] } } });
    const openai = setup.registry.getAll().filter(({ provider }) => provider === "openai");
    expect(names(openai)).toEqual([...catalogued("openai"), "openai/gpt-7"]);
    expect(openai[2]).toEqual({ ...builtIn("openai", "gpt-5.1"), maxTokens: 9 });
  });

  test("modelOverrides patch built-in models; unknown ids are ignored", () => {
    using setup = setUp({
      providers: {
        anthropic: {
          modelOverrides: {
            "claude-haiku-4-5": {
              name: "Haiku",
              input: ["text"],
              cost: { output: 4 },
              compat: { supportsLongCacheRetention: false },
              thinkingLevelMap: { high: null },
            },
            "claude-9": { maxTokens: 1 },
          },
        },
      },
    });
    const haiku = builtIn("anthropic", "claude-haiku-4-5");
    expect(setup.registry.find("anthropic", "claude-haiku-4-5")).toEqual({
      ...haiku,
      name: "Haiku",
      input: ["text"],
      cost: { ...haiku.cost, output: 4 },
      compat: { ...haiku.compat, supportsLongCacheRetention: false },
      thinkingLevelMap: { high: null },
    });
    expect(setup.registry.find("anthropic", "claude-9")).toBeUndefined();
  });

  test("only baseUrl: the built-in provider goes through a proxy, unchanged otherwise", () => {
    using setup = setUp({ providers: { anthropic: { baseUrl: "https://proxy.example.com" } } });
    const anthropic = setup.registry.getAll().filter(({ provider }) => provider === "anthropic");
    const expected = catalogueOf("anthropic").map(({ model }) => model);
    expect(anthropic).toEqual(expected.map((model) => ({ ...model, baseUrl: "https://proxy.example.com" })));
  });

  test("an invalid file leaves the built-in models", () => {
    using setup = setUp();
    setup.home.write("models.json", "{");
    expect(setup.registry.find("anthropic", "claude-opus-5-5")).toEqual(builtIn("anthropic", "claude-opus-5-5"));
    expect(setup.problems).toEqual(["models.json: is not valid JSON at line 1, column 2"]);
  });
});

describe("where local servers are", () => {
  const providers = { ollama: { models: [{ id: "qwen3:8b" }], baseUrl: "http://file:1/v1" } };
  test.each([
    ["their usual address", {}, { ollama: { models: [{ id: "qwen3:8b" }] } }, "http://localhost:11434/v1", []],
    ["models.json", {}, providers, "http://file:1/v1", []],
    ["their variable is stronger", { OLLAMA_BASE_URL: "http://box:11434" }, providers, "http://box:11434/v1", []],
    ["with a slash at the end", { OLLAMA_BASE_URL: " http://box:11434/ " }, providers, "http://box:11434/v1", []],
    ["with its own path", { OLLAMA_BASE_URL: "http://box/ollama/v1/" }, providers, "http://box/ollama/v1", []],
    [
      "a value that is no address is reported",
      { OLLAMA_BASE_URL: "sk-never-shown" },
      providers,
      "http://file:1/v1",
      ["OLLAMA_BASE_URL must be an http or https URL and is ignored"],
    ],
  ])("%s", (_name, env, files, expected, problems) => {
    using setup = setUp({ env, providers: files });
    expect(setup.registry.find("ollama", "qwen3:8b")?.baseUrl).toBe(expected);
    expect(setup.problems).toEqual(problems);
  });
});

describe("usable models", () => {
  test("only the offline model without keys, and that can be disabled", () => {
    using on = setUp();
    using off = setUp({ offline: false });
    expect(names(on.registry.getAvailable())).toEqual(["pintle/offline"]);
    expect(off.registry.getAvailable()).toEqual([]);
    expect(off.registry.find("pintle", "offline")).toBeUndefined();
  });

  test("those of providers with a key from any source, or that need none; no command is run", () => {
    using setup = setUp({
      env: { GROQ_API_KEY: "g", GEMINI_API_KEY: "m" },
      authFile: { zai: { type: "api_key", key: "!must not run" } },
      providers: {
        mine: { ...mine, apiKey: "!must not run", models: [{ id: "a" }] },
        keyless: { ...mine, apiKey: undefined, auth: "none", models: [{ id: "b" }] },
        bridged: { api: "ai-sdk", package: "@ai-sdk/x", apiKey: "k", models: [{ id: "c" }] },
        ollama: { models: [{ id: "qwen3:8b" }] },
      },
      runCommand: () => Promise.reject(new Error("a command was run")),
    });
    expect(names(setup.registry.getAvailable())).toEqual([
      ...catalogued("google"),
      ...catalogued("zai"),
      ...catalogued("groq"),
      "ollama/qwen3:8b",
      "mine/a",
      "keyless/b",
      "pintle/offline",
    ]);
  });

  test("a key set at run time takes effect immediately", () => {
    using setup = setUp();
    setup.auth.setRuntimeApiKey("deepseek", "k");
    expect(names(setup.registry.getAvailable())).toEqual([...catalogued("deepseek"), "pintle/offline"]);
  });
});

describe("a file that changes", () => {
  test("is read again when available models are requested", () => {
    using setup = setUp({ providers: { mine: { ...mine, models: [{ id: "a" }] } } });
    expect(names(setup.registry.getAvailable())).toEqual(["mine/a", "pintle/offline"]);
    setup.home.write("models.json", { providers: { mine: { ...mine, models: [{ id: "a" }, { id: "b" }] } } });
    expect(names(setup.registry.getAvailable())).toEqual(["mine/a", "mine/b", "pintle/offline"]);
  });

  test("without changing its size is detected by its time", () => {
    using setup = setUp({ providers: { mine: { ...mine, models: [{ id: "a" }] } } });
    setup.registry.getAvailable();
    setup.home.write("models.json", { providers: { mine: { ...mine, models: [{ id: "z" }] } } });
    utimesSync(setup.home.path("models.json"), new Date(), new Date(Date.now() + 60_000));
    expect(names(setup.registry.getAvailable())).toEqual(["mine/z", "pintle/offline"]);
  });

  test("into something unreadable is reported once and changes nothing", () => {
    using setup = setUp({ providers: { mine: { ...mine, models: [{ id: "a" }] } } });
    setup.registry.getAvailable();
    setup.home.write("models.json", "{ half");
    expect(names(setup.registry.getAvailable())).toEqual(["mine/a", "pintle/offline"]);
    setup.registry.getAvailable();
    expect(setup.problems).toEqual(["models.json: is not valid JSON at line 1, column 3"]);
  });

  test("with keys is read again too", () => {
    using setup = setUp({ authFile: { zai: { type: "api_key", key: "k" } } });
    expect(names(setup.registry.getAvailable())).toContain("zai/glm-5.3");
    setup.home.write("auth.json", { xai: { type: "api_key", key: "another" } });
    const providers = new Set(setup.registry.getAvailable().map(({ provider }) => provider));
    expect([...providers]).toEqual(["xai", "pintle"]);
  });

  test("not at all returns the same models", () => {
    using setup = setUp({ providers: { mine: { ...mine, models: [{ id: "a" }] } } });
    const before = setup.registry.find("mine", "a");
    setup.registry.refresh();
    expect(setup.registry.find("mine", "a")).toBe(before as Model);
  });
});

describe("what a request contains", () => {
  const runCommand = async (command: string) => ({ stdout: `output of ${command}\n`, exitCode: 0 });
  const model = (provider: string, id: string): Model => ({ ...offlineModel, provider, id, api: "openai-completions" });

  test.each([
    ["a key", { ...mine }, { apiKey: "sk-mine" }],
    ["the output of a command", { ...mine, apiKey: "!get" }, { apiKey: "output of get" }],
    ["nothing for a keyless server", { ...mine, apiKey: undefined, auth: "none" }, {}],
    ["nothing for a keyless server, even if there is a key", { ...mine, auth: "none" }, {}],
    [
      "the key as a header too",
      { ...mine, authHeader: true },
      { apiKey: "sk-mine", headers: { Authorization: "Bearer sk-mine" } },
    ],
    [
      "headers, resolved like keys",
      { ...mine, headers: { A: "!a", B: "VARIABLE", C: "plain" } },
      { apiKey: "sk-mine", headers: { A: "output of a", B: "from variable", C: "plain" } },
    ],
    [
      "the model's headers over the provider's, whatever their case",
      { ...mine, headers: { "X-A": "provider", "X-B": "b" }, models: [{ id: "m", headers: { "x-a": "model" } }] },
      { apiKey: "sk-mine", headers: { "X-B": "b", "x-a": "model" } },
    ],
    [
      "the headers of an override",
      { ...mine, modelOverrides: { m: { headers: { "X-A": "override" } } } },
      { apiKey: "sk-mine", headers: { "X-A": "override" } },
    ],
  ])("%s", async (_name, provider, expected) => {
    using setup = setUp({
      env: { VARIABLE: "from variable" },
      runCommand,
      providers: { mine: { models: [{ id: "m" }], ...provider } },
    });
    expect(await setup.registry.requestAuth(model("mine", "m"))).toEqual(expected);
  });

  test("an unlisted model gets the provider's configuration", async () => {
    using setup = setUp({ providers: { mine: { ...mine, headers: { A: "b" }, models: [{ id: "m" }] } } });
    const auth = await setup.registry.requestAuth(model("mine", "brand-new"));
    expect(auth).toEqual({ apiKey: "sk-mine", headers: { A: "b" } });
  });

  test.each([
    [{ PINTLE_CACHE_RETENTION: "long" }, { cacheRetention: "long" }],
    [{ PI_CACHE_RETENTION: "long" }, { cacheRetention: "long" }],
    [{ PINTLE_CACHE_RETENTION: "none", PI_CACHE_RETENTION: "long" }, { cacheRetention: "none" }],
    [{ PINTLE_CACHE_RETENTION: "for ever" }, {}],
  ])("how long to cache, if %j", async (env, expected) => {
    using setup = setUp({ env });
    expect(await setup.registry.requestAuth(model("ollama", "x"))).toEqual(expected as never);
  });

  test("local servers accept a key but need none; the offline model needs nothing", async () => {
    using without = setUp();
    using withKey = setUp({ env: { OLLAMA_API_KEY: "k" } });
    expect(await without.registry.requestAuth(model("ollama", "x"))).toEqual({});
    expect(await withKey.registry.requestAuth(model("ollama", "x"))).toEqual({ apiKey: "k" });
    expect(await without.registry.requestAuth(offlineModel)).toEqual({});
  });

  test.each([
    [
      "anthropic",
      "No API key found for anthropic.\nSet ANTHROPIC_OAUTH_TOKEN or ANTHROPIC_API_KEY, or add the key to auth.json.",
    ],
    ["unheard-of", "No API key found for unheard-of.\nAdd the key to auth.json."],
  ])("without a key it fails and says how to give one: %s", async (provider, expected) => {
    using setup = setUp();
    const failure = await setup.registry.requestAuth(model(provider, "m")).catch((error: Error) => error);
    expect(failure).toMatchObject({ name: "MissingKeyError", message: expected });
  });

  test("an abort does not wait for a command", async () => {
    using setup = setUp({
      providers: { mine: { ...mine, apiKey: "!hangs", models: [{ id: "m" }] } },
      runCommand: () => new Promise(() => {}),
    });
    const abort = new AbortController();
    const auth = setup.registry.requestAuth(model("mine", "m"), abort.signal).catch((error: unknown) => error);
    abort.abort("stop");
    expect(await auth).toBe("stop");
  });

  test("an earlier abort is enough, and a later failure needs no handler", async () => {
    using setup = setUp();
    const auth = setup.registry.requestAuth(model("anthropic", "m"), AbortSignal.abort("stop"));
    expect(await auth.catch((error: unknown) => error)).toBe("stop");
    await Bun.sleep(0);
  });

  test("secrets of models.json are known for redaction, harmless headers are not", async () => {
    using setup = setUp({
      env: { VARIABLE: "from-variable" },
      providers: {
        mine: {
          ...mine,
          headers: { "X-Api-Key": "literal", Accept: "text/plain", "X-Team": "VARIABLE" },
          models: [{ id: "m" }],
        },
      },
    });
    setup.registry.refresh();
    expect(setup.auth.knownSecrets()).toEqual(["sk-mine"]);
    await setup.registry.requestAuth(model("mine", "m"));
    expect(setup.auth.knownSecrets()).toEqual(["sk-mine", "literal", "from-variable"]);
  });
});

test("no message about a broken configuration contains a secret", async () => {
  const SECRET = "sk-never-shown";
  using setup = setUp({
    env: { OPENAI_API_KEY: SECRET, OLLAMA_BASE_URL: SECRET },
    authFile: { groq: { type: SECRET, key: SECRET }, xai: { type: "api_key", key: `!echo ${SECRET}` }, zai: SECRET },
    providers: {
      a: { baseUrl: SECRET, api: SECRET, apiKey: { key: SECRET }, headers: [SECRET], auth: SECRET, models: SECRET },
      b: { ...mine, apiKey: `!echo ${SECRET}`, headers: { Key: `!echo ${SECRET}` }, models: [{ id: "m" }] },
      c: { ...mine, compat: { thinkingFormat: SECRET }, models: [{ id: [SECRET], cost: { input: SECRET } }] },
    },
    runCommand: async (command) => ({ stdout: command, exitCode: 1 }),
  });
  setup.registry.getAvailable();
  const failures = await Promise.all(
    ["a", "b", "c", "groq", "xai", "zai"].map((provider) =>
      setup.registry.requestAuth({ ...offlineModel, provider, id: "m" }).then(JSON.stringify, String),
    ),
  );
  expect(setup.problems.length).toBeGreaterThan(10);
  expect([...setup.problems, ...failures].join("\n")).not.toContain(SECRET);
});

test("an in-memory registry has the built-in models", () => {
  const registry = ModelRegistry.inMemory(AuthStorage.inMemory({ env: { XAI_API_KEY: "k" } }));
  expect(names(registry.getAvailable())).toEqual([...catalogued("xai"), "pintle/offline"]);
});
