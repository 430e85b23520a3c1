import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Model, streamModel } from "@pintle/ai";
import { AuthStorage } from "../../src/config/keys/auth-storage.ts";
import { ModelRegistry } from "../../src/config/models/model-registry.ts";
import { tempHome } from "../support/config/temp-home.ts";

/** A provider package as a user would install it: its model answers with the options that it was created from. */
const SOURCE = `
export function createFakeCloud(settings) {
  return {
    languageModel: (modelId) => ({
      specificationVersion: "v3",
      provider: "fake-cloud.chat",
      modelId,
      async doStream(options) {
        const { region, apiKey, baseURL } = settings;
        const text = JSON.stringify({ modelId, region, apiKey, baseURL, headers: options.headers });
        const parts = [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "0" },
          { type: "text-delta", id: "0", delta: text },
          { type: "text-end", id: "0" },
          { type: "finish", finishReason: { unified: "stop", raw: "end" }, usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } } },
        ];
        return { stream: new ReadableStream({ start(controller) { for (const part of parts) controller.enqueue(part); controller.close(); } }) };
      },
    }),
  };
}`;

function homeWith(provider: object, { installed = true } = {}) {
  const home = tempHome({
    "models.json": { providers: { cloud: { api: "ai-sdk", package: "@fake/cloud", ...provider } } },
  });
  if (installed) {
    const folder = home.path("node_modules/@fake/cloud");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"name":"@fake/cloud","type":"module","exports":"./index.js"}');
    writeFileSync(join(folder, "index.js"), SOURCE);
  }
  const problems: string[] = [];
  const report = (text: string) => problems.push(text.replace(`${home.dir}/`, ""));
  const auth = AuthStorage.create(home.path("auth.json"));
  const registry = ModelRegistry.create(auth, home.path("models.json"), { report });
  return { home, auth, registry, problems, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

async function ask(registry: ModelRegistry, model: Model) {
  return streamModel(model, { messages: [] }, await registry.requestAuth(model)).result();
}

describe("a provider in models.json that uses a package", () => {
  test("gets its options, key, address and headers", async () => {
    using setup = homeWith({
      options: { region: "eu-1" },
      apiKey: "k-12345",
      baseUrl: "https://cloud.example.com",
      headers: { "X-Team": "blue" },
      models: [{ id: "m", contextWindow: 1000, maxTokens: 100 }],
    });
    const model = setup.registry.find("cloud", "m") as Model;
    const { content, usage, stopReason } = await ask(setup.registry, model);
    expect(content).toHaveLength(1);
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      modelId: "m",
      region: "eu-1",
      apiKey: "k-12345",
      baseURL: "https://cloud.example.com",
      headers: { "X-Team": "blue" },
    });
    expect([stopReason, usage.input, usage.output]).toEqual(["stop", 3, 4]);
  });

  test("needs no key, because the package may find its own", async () => {
    using setup = homeWith({ models: [{ id: "m" }] });
    expect(setup.problems).toEqual([]);
    const [model] = setup.registry.getAvailable();
    expect(model).toMatchObject({ provider: "cloud", id: "m", api: "ai-sdk" });
    const { content } = await ask(setup.registry, model as Model);
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({ modelId: "m" });
  });

  test("is not offered while its package is missing, and reports that when it is called", async () => {
    using setup = homeWith({ models: [{ id: "m" }] }, { installed: false });
    const model = setup.registry.find("cloud", "m") as Model;
    expect(setup.registry.getAvailable().map(({ provider }) => provider)).toEqual(["pintle"]);
    expect(setup.registry.missingPackage(model)).toBe("@fake/cloud");
    const { errorMessage } = await ask(setup.registry, model);
    expect(errorMessage).toBe(
      `The package @fake/cloud is not installed. To install it: npm install --prefix ${setup.home.dir} @fake/cloud`,
    );
  });

  test("the secrets among its options are known for redaction", () => {
    const options = { region: "eu-1", apiToken: "t-1", credentials: { id: "c-1", parts: ["c-2", 3, null] } };
    using setup = homeWith({ options, models: [{ id: "m" }] });
    setup.registry.refresh();
    expect(setup.auth.knownSecrets()).toEqual(["t-1", "c-1", "c-2"]);
  });

  test.each([
    [{ package: undefined }, "providers.cloud.package is required with the api ai-sdk"],
    [{ package: "./evil.js" }, "providers.cloud.package must be the name of a package"],
    [
      {
        api: "openai-completions",
        package: undefined,
        baseUrl: "http://x",
        apiKey: "k",
        models: [{ id: "m", api: "ai-sdk" }],
      },
      "providers.cloud.package is required with the api ai-sdk",
    ],
  ])("%j is refused", (provider, problem) => {
    using setup = homeWith({ models: [{ id: "m" }], ...provider });
    setup.registry.refresh();
    expect(setup.problems).toEqual([`models.json: ${problem}`]);
  });
});
