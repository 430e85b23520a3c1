import { afterEach, describe, expect, test } from "bun:test";
import type { AgentSessionEvent } from "@pintle/wire";
import { AuthStorage } from "../../../src/config/keys/auth-storage.ts";
import { ModelRegistry } from "../../../src/config/models/model-registry.ts";
import type { ProviderRegistration } from "../../../src/extensibility/api/extension-host.ts";
import { registerExtensionProvider } from "../../../src/extensibility/host/provider-registration.ts";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";
import { freshPlace, show } from "../../support/session/test-session.ts";

const streamSimple = () => {};
const MODELS = [{ id: "m", name: "Mine", cost: { input: 1 } }];

function register(provider: ProviderRegistration, id = "mine", env: Record<string, string> = {}): ModelRegistry {
  const registry = ModelRegistry.inMemory(AuthStorage.inMemory({ env }));
  registerExtensionProvider(registry, id, provider);
  return registry;
}

describe("a provider with a stream function", () => {
  test("needs neither address nor key, and accepts any API name", async () => {
    const registry = register({ name: "My provider", api: "own-api", models: MODELS, streamSimple });
    const model = registry.find("mine", "m")!;
    expect(model).toMatchObject({ api: "own-api", provider: "mine", name: "Mine", cost: { input: 1, output: 0 } });
    expect(registry.isUsable(model)).toBe(true);
    expect(await registry.requestAuth(model)).toEqual({ foreign: streamSimple });
    expect(register({ models: MODELS, streamSimple }).find("mine", "m")!.api).toBe("mine");
  });

  test("receives its key and headers", async () => {
    const provider = { apiKey: "MY_KEY", headers: { "x-a": "b" }, models: MODELS, streamSimple };
    const registry = register(provider, "mine", { MY_KEY: "secret" });
    const auth = await registry.requestAuth(registry.find("mine", "m")!);
    expect(auth).toEqual({ apiKey: "secret", headers: { "x-a": "b" }, foreign: streamSimple });
  });

  test("takes over the models of a built-in provider, and returns them when unregistered", async () => {
    const registry = register({ streamSimple }, "anthropic", { ANTHROPIC_API_KEY: "k" });
    const [first] = registry.getAll().filter(({ provider }) => provider === "anthropic");
    expect(await registry.requestAuth(first!)).toEqual({ apiKey: "k", foreign: streamSimple });
    registry.unregisterProvider("anthropic");
    expect(await registry.requestAuth(first!)).toEqual({ apiKey: "k" });
  });

  test("its models replace the built-in ones; a provider without models keeps them", () => {
    const idsOf = (provider: ProviderRegistration) =>
      register(provider, "anthropic")
        .getAll()
        .flatMap(({ provider: name, id }) => (name === "anthropic" ? [id] : []));
    expect(idsOf({ models: [{ id: "own" }] })).toEqual(["own"]);
    expect(idsOf({ baseUrl: "http://localhost" }).length).toBeGreaterThan(2);
  });

  test.each<[string, ProviderRegistration, RegExp]>([
    [
      "something that is not a function",
      { streamSimple: {} as never, models: MODELS },
      /^streamSimple of the provider mine is not a/,
    ],
    ["only a login", { streamSimple, oauth: {}, models: MODELS }, /^The provider mine supports only a login/],
    ["an unknown API", { api: "own", baseUrl: "http://a", apiKey: "k", models: MODELS }, /api must be/],
  ])("rejects %s", (_name, provider, text) => {
    expect(() => register(provider)).toThrow(text);
  });

  test("ignores a login when there is a key", () => {
    const provider = { apiKey: "MY_KEY", oauth: { login() {} }, streamSimple, models: MODELS };
    expect(register(provider).find("mine", "m")).toBeDefined();
  });
});

describe("a session whose model is an extension's", () => {
  const opened: AgentSession[] = [];
  afterEach(async () => {
    for (const session of opened.splice(0)) await session.dispose();
  });

  async function start(body: string) {
    const folder = moduleFolder();
    const file = folder.write(
      "ext.ts",
      `import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
       export default (pi) => pi.registerProvider("mine", { api: "own", models: [{ id: "m", name: "M" }],
         streamSimple(model, context, options) { ${body} } });
       const message = (model, content, stopReason, more = {}) => ({ role: "assistant", content, api: model.api,
         provider: model.provider, model: model.id, stopReason, timestamp: 0,
         usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3,
           cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, ...more });
       const say = (model, text) => {
         const stream = createAssistantMessageEventStream();
         const output = message(model, [], "stop");
         queueMicrotask(() => {
           stream.push({ type: "start", partial: output });
           output.content.push({ type: "text", text: "" });
           stream.push({ type: "text_start", contentIndex: 0, partial: output });
           for (const delta of text.split(/(?= )/)) {
             output.content[0].text += delta;
             stream.push({ type: "text_delta", contentIndex: 0, delta, partial: output });
           }
           stream.push({ type: "text_end", contentIndex: 0, content: text, partial: output });
           stream.push({ type: "done", reason: "stop", message: output });
         });
         return stream;
       };`,
    );
    const { home, cwd } = freshPlace();
    const { session, modules } = await createAgentSession({
      cwd,
      env: { PINTLE_HOME: home },
      flags: { model: "mine/m" },
      settings: { "retry.enabled": false },
      additionalExtensionPaths: [file],
      publicExports: () => import("../../../src/index.ts"),
    });
    opened.push(session);
    const events: AgentSessionEvent[] = [];
    session.subscribe((event) => events.push(event));
    modules.start();
    return { session, events, modules };
  }

  test("finds it by its name at startup, and streams", async () => {
    const { session, events } = await start(`
      const last = context.messages.at(-1).content;
      return say(model, "You said " + last[0].text + " to " + model.api + ", " + typeof context.systemPrompt);`);
    expect(session.model).toMatchObject({ provider: "mine", id: "m" });
    await session.prompt("hello");
    expect(show(session.messages)).toEqual(["user: hello", "assistant: You said hello to own, string"]);
    const deltas = events.flatMap((event) =>
      event.type === "message_update" && event.assistantMessageEvent.type === "text_delta"
        ? [event.assistantMessageEvent.delta]
        : [],
    );
    expect(deltas).toEqual(["You", " said", " hello", " to", " own,", " string"]);
  });

  test("calls tools, and requests another answer with their results", async () => {
    const { session } = await start(`
      const result = context.messages.findLast(({ role }) => role === "toolResult");
      if (result) return say(model, "It holds: " + JSON.stringify(result.content).length);
      const toolCall = { type: "toolCall", id: "t", name: "ls", arguments: { path: "." } };
      return (async function* () {
        yield { type: "done", reason: "toolUse", message: message(model, [toolCall], "toolUse") };
      })();`);
    await session.prompt("look");
    expect(show(session.messages)).toEqual([
      "user: look",
      "assistant: <ls>",
      expect.stringMatching(/^toolResult: /),
      expect.stringMatching(/^assistant: It holds: \d+$/),
    ]);
  });

  test.each([
    ["throws", 'throw new Error("out of order");', "out of order"],
    ["reports", 'return (async function* () { yield { type: "error", error: { errorMessage: "no" } }; })();', "no"],
    ["returns no event stream", "return 7;", "The stream function of the provider did not return an event stream"],
  ])("records a failed answer from a provider that %s, and continues", async (_name, body, text) => {
    const { session } = await start(body);
    await session.prompt("one");
    await session.prompt("two");
    const failed = session.messages.filter((message) => message.role === "assistant");
    expect(failed.map((message) => [message.stopReason, message.errorMessage])).toEqual(Array(2).fill(["error", text]));
  });

  test("an abort ends the answer even if the function ignores it", async () => {
    const { session, events } = await start(
      "return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };",
    );
    const run = session.prompt("wait");
    while (!events.some(({ type }) => type === "turn_start")) await new Promise((resolve) => setImmediate(resolve));
    await session.abort();
    await run;
    expect(show(session.messages)).toEqual(["user: wait", "assistant(aborted): "]);
  });
});
