import { describe, expect, test } from "bun:test";
import { ModelsFile } from "../../../src/config/models/models-file.ts";
import { tempHome } from "../../support/config/temp-home.ts";

const SECRET = "sk-never-shown";

/** Returns what is read from a file and what is reported about it. */
function load(files: Record<string, unknown>) {
  using home = tempHome(files);
  const problems: string[] = [];
  const providers = new ModelsFile(home.path("models.json"), (text) =>
    problems.push(text.replace(`${home.dir}/`, "")),
  ).read();
  return { providers: Object.fromEntries(providers), problems };
}

const ollama = { baseUrl: "http://localhost:11434/v1", api: "openai-completions", apiKey: "ollama" };

describe("a good file", () => {
  test("is read completely", () => {
    const file = {
      providers: {
        mine: {
          baseUrl: "https://llm.example.com/v1",
          api: "openai-completions",
          apiKey: "!pass show llm",
          headers: { "X-Team": "TEAM" },
          authHeader: true,
          auth: "apiKey",
          compat: { supportsStore: false, thinkingFormat: "qwen", extraBody: { top_k: 1 } },
          models: [
            {
              id: "coder",
              name: "Coder",
              api: "anthropic-messages",
              baseUrl: "https://other.example.com",
              reasoning: true,
              input: ["text", "image"],
              cost: { input: 1, output: 2.5 },
              contextWindow: 64000,
              maxTokens: 8000,
              headers: { "X-Model": "coder" },
              compat: { maxTokensField: "max_tokens" },
              thinkingLevelMap: { xhigh: "max", minimal: null },
            },
          ],
        },
        anthropic: { modelOverrides: { "claude-opus-5-5": { maxTokens: 32000 } } },
      },
    };
    const { modelOverrides: _, ...mine } = { ...file.providers.mine, modelOverrides: undefined };
    expect(load({ "models.json": file })).toEqual({
      providers: {
        mine: { ...mine, modelOverrides: new Map() } as never,
        anthropic: { models: [], modelOverrides: new Map([["claude-opus-5-5", { maxTokens: 32000 }]]) },
      },
      problems: [],
    });
  });

  test.each([
    ["models.json", JSON.stringify({ providers: { ollama: { ...ollama, models: [{ id: "qwen3:8b" }] } } })],
    ["models.json", `\uFEFF${JSON.stringify({ providers: { ollama: { ...ollama, models: [{ id: "qwen3:8b" }] } } })}`],
    [
      "models.yml",
      [
        "providers:",
        "  ollama:",
        "    baseUrl: http://localhost:11434/v1",
        "    api: openai-completions",
        "    apiKey: ollama",
        "    models:",
        "      - id: qwen3:8b",
      ].join("\n"),
    ],
  ])("may be %s, also with a byte order mark", (name, content) => {
    expect(load({ [name]: content })).toEqual({
      providers: { ollama: { ...ollama, models: [{ id: "qwen3:8b" }], modelOverrides: new Map() } as never },
      problems: [],
    });
  });

  test("models.json hides models.yml", () => {
    const { providers, problems } = load({ "models.json": { providers: {} }, "models.yml": "providers: {}" });
    expect({ providers, problems }).toEqual({
      providers: {},
      problems: ["models.yml: is ignored, because models.json exists as well"],
    });
  });

  test("may be missing", () => {
    expect(load({})).toEqual({ providers: {}, problems: [] });
  });
});

describe("a file that is not a list of providers is only reported", () => {
  test.each([
    ["models.json", `{"providers": {"x": ${SECRET}}}`, "models.json: is not valid JSON at line 1, column 21"],
    ["models.json", `{"providers": {}, ,"${SECRET}": 1}`, "models.json: is not valid JSON at line 1, column 19"],
    ["models.json", "", "models.json: is not valid JSON at line 1, column 1"],
    ["models.yml", `providers: [${SECRET}`, "models.yml: is not valid YAML at line 1"],
    ["models.json", [SECRET], "models.json: must contain an object"],
    ["models.json", "null", "models.json: must contain an object"],
    ["models.json", {}, "models.json: providers must be an object"],
    ["models.json", { providers: [SECRET] }, "models.json: providers must be an object"],
  ])("%s %p", (name, content, expected) => {
    expect(load({ [name]: content })).toEqual({ providers: {}, problems: [expected] });
  });
});

describe("a provider with an invalid field is dropped, and the others stay", () => {
  const complete = { ...ollama, models: [{ id: "a" }] };
  test.each([
    [SECRET, "providers.bad must be an object"],
    [{ ...complete, baseUrl: 5 }, "providers.bad.baseUrl must be a string"],
    [{ ...complete, baseUrl: SECRET }, "providers.bad.baseUrl must be an http or https URL"],
    [{ ...complete, baseUrl: "file:///etc" }, "providers.bad.baseUrl must be an http or https URL"],
    [
      { ...complete, api: SECRET },
      "providers.bad.api must be openai-completions or openai-responses or anthropic-messages or google-generative-ai or ai-sdk",
    ],
    [{ ...complete, apiKey: [SECRET] }, "providers.bad.apiKey must be a string"],
    [{ ...complete, apiKey: "" }, "providers.bad.apiKey must not be empty"],
    [{ ...complete, headers: { "X-Key": 1 } }, "providers.bad.headers must be an object whose values are strings"],
    [{ ...complete, headers: { "no spaces": SECRET } }, "providers.bad.headers contains an invalid header name"],
    [{ ...complete, authHeader: "yes" }, "providers.bad.authHeader must be true or false"],
    [{ ...complete, auth: "basic" }, "providers.bad.auth must be apiKey or none"],
    [{ ...complete, compat: { supportsStore: 1 } }, "providers.bad.compat.supportsStore must be true or false"],
    [{ ...complete, compat: { extraBody: [] } }, "providers.bad.compat.extraBody must be an object"],
    [
      { ...complete, compat: { maxTokensField: "tokens" } },
      "providers.bad.compat.maxTokensField must be max_tokens or max_completion_tokens",
    ],
    [{ ...complete, models: {} }, "providers.bad.models must be a list"],
    [{ ...complete, models: [SECRET] }, "providers.bad.models[0] must be an object"],
    [{ ...complete, models: [{ id: "a" }, { id: 7 }] }, "providers.bad.models[1].id must be a string"],
    [{ ...complete, models: [{}] }, "providers.bad.models[0].id must be a string"],
    [{ ...complete, models: [{ id: "" }] }, "providers.bad.models[0].id must not be empty"],
    [
      { ...complete, models: [{ id: "a", input: ["audio"] }] },
      "providers.bad.models[0].input must be a list of text or image",
    ],
    [{ ...complete, models: [{ id: "a", cost: 3 }] }, "providers.bad.models[0].cost must be an object"],
    [
      { ...complete, models: [{ id: "a", cost: { input: -1 } }] },
      "providers.bad.models[0].cost.input must be a number of at least 0",
    ],
    [
      { ...complete, models: [{ id: "a", maxTokens: 0 }] },
      "providers.bad.models[0].maxTokens must be a positive integer",
    ],
    [
      { ...complete, models: [{ id: "a", contextWindow: "128k" }] },
      "providers.bad.models[0].contextWindow must be a positive integer",
    ],
    [
      { ...complete, models: [{ id: "a", thinkingLevelMap: { extreme: "x" } }] },
      "providers.bad.models[0].thinkingLevelMap must map off or minimal or low or medium or high or xhigh or max or auto to a string or null",
    ],
    [{ modelOverrides: { a: SECRET } }, "providers.bad.modelOverrides.a must be an object"],
    [
      { models: [{ id: "a" }], baseUrl: ollama.baseUrl, auth: "none" },
      "providers.bad.api is required: pintle does not know this provider",
    ],
    [
      { models: [{ id: "a" }], api: ollama.api, auth: "none" },
      "providers.bad.baseUrl is required: pintle does not know this provider",
    ],
    [{ api: "ai-sdk", apiKey: "k", models: [{ id: "a" }] }, "providers.bad.package is required with the api ai-sdk"],
  ])("%j", (bad, expected) => {
    const { providers, problems } = load({ "models.json": { providers: { bad, ollama: complete } } });
    expect({ providers: Object.keys(providers), problems }).toEqual({
      providers: ["ollama"],
      problems: [`models.json: ${expected}`],
    });
  });

  test("every wrong field is named, not only the first", () => {
    const bad = { ...complete, api: 1, models: [{ id: 2 }] };
    expect(load({ "models.json": { providers: { bad } } }).problems).toHaveLength(2);
  });

  test("the name of the built-in provider is taken", () => {
    expect(load({ "models.json": { providers: { pintle: complete } } })).toEqual({
      providers: {},
      problems: ["models.json: providers.pintle is built into pintle and cannot be changed"],
    });
  });
});

describe("harmless problems are only warnings", () => {
  test("a model that is listed twice: the first one wins", () => {
    const models = [{ id: "a", maxTokens: 1 }, { id: "b" }, { id: "a", maxTokens: 2 }];
    const { providers, problems } = load({ "models.json": { providers: { mine: { ...ollama, models } } } });
    expect(providers.mine?.models).toEqual([{ id: "a", maxTokens: 1 }, { id: "b" }]);
    expect(problems).toEqual(["models.json: providers.mine.models[2].id is used twice; only the first one applies"]);
  });

  test("unknown fields", () => {
    const file = {
      version: 1,
      providers: { openai: { baseURL: "x", compat: { fast: true }, modelOverrides: { "gpt-5.1": { maxToken: 3 } } } },
    };
    const { providers, problems } = load({ "models.json": file });
    expect(Object.keys(providers)).toEqual(["openai"]);
    expect(problems.toSorted()).toEqual([
      "models.json: providers.openai.baseURL is not a known field and is ignored",
      "models.json: providers.openai.compat.fast is not a known field and is ignored",
      "models.json: providers.openai.modelOverrides.gpt-5.1.maxToken is not a known field and is ignored",
      "models.json: version is not a known field and is ignored",
    ]);
  });
});

test("a known provider needs neither address nor key to get more models", () => {
  const { providers, problems } = load({ "models.json": { providers: { openai: { models: [{ id: "gpt-7" }] } } } });
  expect(problems).toEqual([]);
  expect(providers.openai?.models).toEqual([{ id: "gpt-7" }]);
});

test("a provider named __proto__ changes nothing else", () => {
  const { problems } = load({ "models.json": `{"providers": {"__proto__": {"baseUrl": 1}}}` });
  expect(problems).toEqual(["models.json: providers.__proto__.baseUrl must be a string"]);
  expect(({} as { baseUrl?: unknown }).baseUrl).toBeUndefined();
});
