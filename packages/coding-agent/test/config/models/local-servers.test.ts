import { describe, expect, test } from "bun:test";
import type { Model } from "@pintle/ai";
import { AuthStorage } from "../../../src/config/keys/auth-storage.ts";
import { ModelRegistry } from "../../../src/config/models/model-registry.ts";
import {
  llamaCpp,
  lmStudio,
  localDouble,
  localEnvironment,
  OLLAMA_TAGS,
  ollama,
} from "../../support/config/local-double.ts";
import { tempHome } from "../../support/config/temp-home.ts";

function registryFor(env: Record<string, string>, providers: Record<string, unknown> = {}) {
  const home = tempHome({ "models.json": { providers } });
  const auth = AuthStorage.create(home.path("auth.json"), { env, runCommand: () => Promise.reject(new Error("ran")) });
  const registry = ModelRegistry.create(auth, home.path("models.json"));
  return { registry, home, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

/** The fields in which models of local servers differ. */
function short({ id, provider, reasoning, input, contextWindow, maxTokens }: Model) {
  return { id: `${provider}/${id}`, reasoning, input, contextWindow, maxTokens };
}

function served(registry: ModelRegistry, ...providers: string[]) {
  return registry
    .getAvailable()
    .filter(({ provider }) => providers.includes(provider))
    .map(short);
}

const never = () => new Promise<Response>(() => {});
const unknown = { reasoning: false, input: ["text"] as ["text"], contextWindow: 128_000, maxTokens: 16_384 };

describe("what a server serves", () => {
  test("Ollama: its list, and what it says about each model; those with tools first", async () => {
    await using double = localDouble(ollama);
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    const model = await setup.registry.discoverLocal();
    expect(served(setup.registry, "ollama")).toEqual([
      { id: "ollama/qwen3:8b", reasoning: true, input: ["text"], contextWindow: 16_384, maxTokens: 8_192 },
      { id: "ollama/gemma3:4b", reasoning: false, input: ["text", "image"], contextWindow: 131_072, maxTokens: 16_384 },
    ]);
    expect(model).toEqual(setup.registry.find("ollama", "qwen3:8b") as Model);
    expect(model?.baseUrl).toBe(`${double.origin}/v1`);
  });

  test("LM Studio: loaded models first, with their loaded context size; no embedding models", async () => {
    await using double = localDouble(lmStudio);
    using setup = registryFor(localEnvironment({ lmStudio: `${double.origin}/v1/` }));
    await setup.registry.discoverLocal();
    expect(served(setup.registry, "lm-studio")).toEqual([
      { ...unknown, id: "lm-studio/qwen3-coder-30b", contextWindow: 20_000, maxTokens: 10_000 },
      { ...unknown, id: "lm-studio/qwen2-vl-7b-instruct", input: ["text", "image"], contextWindow: 32_768 } as never,
    ]);
  });

  test("LM Studio without its own API: the list of OpenAI's", async () => {
    await using double = localDouble({
      "/v1/models": { object: "list", data: [{ id: "old-model" }, { id: "text-embedding-nomic-embed-text-v1.5" }] },
    });
    using setup = registryFor(localEnvironment({ lmStudio: double.origin }));
    await setup.registry.discoverLocal();
    expect(served(setup.registry, "lm-studio")).toEqual([{ ...unknown, id: "lm-studio/old-model" }]);
  });

  test("llama.cpp: the context size of a slot, not of the training", async () => {
    await using double = localDouble(llamaCpp);
    using setup = registryFor(localEnvironment({ llamaCpp: double.origin }));
    await setup.registry.discoverLocal();
    expect(served(setup.registry, "llama.cpp")).toEqual([
      {
        ...unknown,
        id: "llama.cpp/unsloth/Qwen3.6-35B-A3B-GGUF",
        input: ["text", "image"],
        contextWindow: 65_536,
      } as never,
    ]);
  });

  test("llama.cpp with several models: what it reports about each", async () => {
    const meta = { n_ctx: 32_768, n_ctx_train: 262_144 };
    await using double = localDouble({ ...llamaCpp, "/v1/models": { data: [{ id: "a", meta }, { id: "b" }] } });
    using setup = registryFor(localEnvironment({ llamaCpp: double.origin }));
    await setup.registry.discoverLocal();
    expect(served(setup.registry, "llama.cpp")).toEqual([
      { ...unknown, id: "llama.cpp/a", contextWindow: 32_768 },
      { ...unknown, id: "llama.cpp/b" },
    ]);
  });

  test("models.json overrides a listed model, and its models come first", async () => {
    await using double = localDouble(ollama);
    using setup = registryFor(localEnvironment({ ollama: double.origin }), {
      ollama: { models: [{ id: "mine" }, { id: "qwen3:8b", contextWindow: 9_000 }] },
    });
    await setup.registry.discoverLocal();
    expect(served(setup.registry, "ollama").map(({ id, contextWindow }) => [id, contextWindow])).toEqual([
      ["ollama/mine", 128_000],
      ["ollama/qwen3:8b", 9_000],
      ["ollama/gemma3:4b", 131_072],
    ]);
    expect(setup.registry.find("ollama", "qwen3:8b")?.reasoning).toBe(true);
  });

  test("the first of Ollama, LM Studio and llama.cpp provides the default", async () => {
    await using first = localDouble(lmStudio);
    await using second = localDouble(llamaCpp);
    using setup = registryFor(localEnvironment({ lmStudio: first.origin, llamaCpp: second.origin }));
    expect(await setup.registry.discoverLocal()).toMatchObject({ provider: "lm-studio", id: "qwen3-coder-30b" });
    expect(served(setup.registry, "lm-studio", "llama.cpp")).toHaveLength(3);
  });

  test("a server that is gone has no models", async () => {
    const replies: Record<string, string> = { ...ollama };
    await using double = localDouble(replies);
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    await setup.registry.discoverLocal();
    delete replies["/api/tags"];
    expect(await setup.registry.discoverLocal()).toBeUndefined();
    expect(served(setup.registry, "ollama")).toEqual([]);
  });
});

describe("which servers are asked", () => {
  test("none, until discoverLocal is called", async () => {
    await using double = localDouble(ollama);
    const env = localEnvironment({ ollama: double.origin, lmStudio: double.origin, llamaCpp: double.origin });
    using setup = registryFor(env);
    setup.registry.getAvailable();
    setup.registry.refresh();
    await setup.registry.discovered();
    expect(double.asked).toEqual([]);
  });

  test("only the named provider", async () => {
    await using double = localDouble(ollama);
    await using other = localDouble(llamaCpp);
    using setup = registryFor(localEnvironment({ ollama: double.origin, llamaCpp: other.origin }));
    await setup.registry.discoverLocal({ provider: "ollama" });
    expect(double.asked.length).toBeGreaterThan(0);
    expect(other.asked).toEqual([]);
  });

  test("with the key, unless that requires running a command", async () => {
    await using double = localDouble({ "/api/tags": '{"models":[]}' });
    await using other = localDouble({ "/v1/models": '{"data":[]}', "/props": "{}" });
    using setup = registryFor(
      { ...localEnvironment({ ollama: double.origin, llamaCpp: other.origin }), OLLAMA_API_KEY: "sk-local" },
      { "llama.cpp": { apiKey: "!get-key" } },
    );
    await setup.registry.discoverLocal();
    expect(double.asked.map(({ authorization }) => authorization)).toEqual(["Bearer sk-local"]);
    expect(other.asked.map(({ authorization }) => authorization)).toEqual([null, null]);
  });

  test("once, however many callers ask at the same time", async () => {
    const gate = Promise.withResolvers<Response>();
    await using double = localDouble({ "/api/tags": () => gate.promise });
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    const asking = [setup.registry.discoverLocal(), setup.registry.discoverLocal()];
    gate.resolve(new Response('{"models":[{"model":"a"}]}'));
    const answers = await Promise.all(asking);
    expect(answers.map((model) => model?.id)).toEqual(["a", "a"]);
    expect(double.asked.filter(({ path }) => path === "/api/tags")).toHaveLength(1);
  });
});

describe("servers that misbehave", () => {
  test("one that is silent is skipped, and the others are used", async () => {
    await using silent = localDouble({ "/api/tags": never });
    await using double = localDouble(llamaCpp);
    using setup = registryFor(localEnvironment({ ollama: silent.origin, llamaCpp: double.origin }));
    expect(await setup.registry.discoverLocal({ limitMs: 1_500 })).toMatchObject({ provider: "llama.cpp" });
  });

  test("one that is slow about details keeps its list", async () => {
    await using double = localDouble({ "/api/tags": OLLAMA_TAGS, "/api/show": never });
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    await setup.registry.discoverLocal({ limitMs: 1_500 });
    expect(served(setup.registry, "ollama")).toEqual([
      { ...unknown, id: "ollama/gemma3:4b" },
      { ...unknown, id: "ollama/qwen3:8b" },
    ]);
  });

  test("a redirect is not followed", async () => {
    await using elsewhere = localDouble(ollama);
    await using double = localDouble({ "/api/tags": () => Response.redirect(`${elsewhere.origin}/api/tags`) });
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    expect(await setup.registry.discoverLocal()).toBeUndefined();
    expect(elsewhere.asked).toEqual([]);
  });

  test("the caller's signal ends the wait", async () => {
    await using silent = localDouble({ "/api/tags": never });
    using setup = registryFor(localEnvironment({ ollama: silent.origin }));
    const stop = new AbortController();
    const asking = setup.registry.discoverLocal({ limitMs: 60_000, signal: stop.signal });
    stop.abort();
    expect(await asking).toBeUndefined();
  });

  test("discovered() waits for a pending request", async () => {
    const gate = Promise.withResolvers<Response>();
    await using double = localDouble({ "/api/tags": () => gate.promise });
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    const asking = setup.registry.discoverLocal();
    const listed = setup.registry.discovered().then(() => served(setup.registry, "ollama").map(({ id }) => id));
    gate.resolve(new Response('{"models":[{"model":"a"}]}'));
    await asking;
    expect(await listed).toEqual(["ollama/a"]);
  });

  test.each<[string, () => Response]>([
    ["a web page", () => new Response("<html><body>It works!</body></html>")],
    ["an error", () => new Response('{"models":[{"model":"a"}]}', { status: 500 })],
    [
      "a list of nothing known",
      () => Response.json({ models: [null, 3, "a", {}, { model: "" }, { model: "a\u001b[31m" }] }),
    ],
    ["no list", () => Response.json({ models: "a" })],
    ["a name without end", () => Response.json({ models: [{ model: "x".repeat(300) }] })],
    ["half a document", () => new Response('{"models":[{"model":"a"}')],
    ["a document without end", () => Response.json({ models: [{ model: "a" }], padding: "x".repeat(3_000_000) })],
  ])("%s gives no models", async (_what, reply) => {
    await using double = localDouble({ "/api/tags": reply });
    using setup = registryFor(localEnvironment({ ollama: double.origin }));
    expect(await setup.registry.discoverLocal()).toBeUndefined();
    expect(served(setup.registry, "ollama")).toEqual([]);
  });
});
