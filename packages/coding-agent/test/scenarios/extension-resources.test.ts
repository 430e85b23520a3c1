import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHAT, type ChatPlace, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";

/** An environment whose user has these files in pintle's directory. */
async function place(files: Record<string, string>): Promise<ChatPlace & { cwd: string; env: Record<string, string> }> {
  const chat = await chatPlace(says("fine"));
  const cwd = join(chat.place.root, "project");
  mkdirSync(cwd, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(chat.place.env.PINTLE_HOME as string, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return { ...chat, cwd, env: chat.place.env };
}

const systemPrompts = ({ server }: ChatPlace): string[] =>
  server.requests.map(({ body }) => (body.messages as { content: string }[])[0]?.content ?? "");

const EXTENSION = `
  import { Type } from "@sinclair/typebox";
  export default function (pi) {
    pi.registerTool({
      name: "gate", label: "Gate", description: "Opens", promptSnippet: "Opens the gate",
      promptGuidelines: ["Close the gate behind you."], parameters: Type.Object({}),
      execute: async () => ({ content: [{ type: "text", text: "open" }] }),
    });
    pi.on("resources_discover", () => ({ skillPaths: ["skills"], promptPaths: ["prompts"] }));
    pi.on("resources_discover", () => { throw new Error("no luck"); });
    pi.registerCommand("only", { handler: (args) => pi.setActiveTools(args.split(" ")) });
    pi.on("before_agent_start", ({ systemPrompt, systemPromptOptions: o, prompt }) => prompt === "tell" && ({
      systemPrompt: JSON.stringify([o.selectedTools, Object.keys(o.toolSnippets), o.skills.map(({ name }) => name), o.cwd]),
    }));
  }`;

test("an extension's tools, skills, templates and prompts reach the model", async () => {
  await using at = await place({
    "extensions/mine/index.ts": EXTENSION,
    "extensions/mine/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Makes PDFs\n---\nUse the script.",
    "extensions/mine/prompts/fix.md": "Fix $1",
    "tools/door.ts": `export default () => ({ name: "door", label: "Door", description: "d", promptSnippet: "Opens doors",
      parameters: { type: "object", properties: {} }, execute: async () => "open" });`,
  });
  await using rpc = await startRpc([...CHAT, "--set", "cache.lateTools=append"], at);
  const fault = await rpc.until(({ type }) => type === "extension_error");
  expect(fault).toMatchObject({ event: "resources_discover", error: "no luck" });
  const { commands } = (await rpc.call("get_commands")).data;
  expect(commands.map(({ name, source, sourceInfo }: Frame) => [name, source, sourceInfo.source])).toEqual([
    ["only", "extension", expect.any(String)],
    ["skill:pdf", "skill", "extension"],
    ["fix", "prompt", "extension"],
  ]);
  await rpc.prompt("one");
  await rpc.prompt("/fix it");
  await rpc.call("prompt", { message: "/only read gate" });
  await rpc.prompt("/skill:pdf now");
  await rpc.prompt("tell");
  await rpc.prompt("after");
  const [one, two, three, told, after] = systemPrompts(at);
  expect(two).toBe(one as string);
  expect(one).toContain("\n- door: Opens doors\n");
  expect(one).toContain("\n- gate: Opens the gate\n");
  expect(one).toContain("\n- Close the gate behind you.\n");
  expect(one).toContain("<name>pdf</name>");
  expect(three).toContain("Further tools:\n- gate: Opens the gate\n\n");
  expect(three).not.toContain("door");
  const tools = ["gate", "read", "resolve"];
  expect(JSON.parse(told as string)).toEqual([tools, ["gate"], ["pdf"], at.cwd]);
  expect(after).toBe(three as string);
  const sent = at.server.requests.map(({ body }) => JSON.stringify((body.messages as object[]).at(-1)));
  expect(sent[1]).toContain("Fix it");
  expect(sent[2]).toContain("Use the script.");
});

const PROVIDER = `
  export default (pi) => pi.registerProvider("mine", {
    apiKey: "MY_KEY", api: "own", models: [{ id: "m", name: "M" }],
    async *streamSimple(model, context, options) {
      // Questions without an answer come together: the newest counts.
      const asked = JSON.stringify(context.messages.at(-1).content);
      const text = ["again", "wait", "fail", "hello"].find((word) => asked.includes(word));
      if (text === "fail") throw new Error("no luck with " + options.apiKey);
      if (text === "wait") await new Promise(() => {});
      const content = [{ type: "text", text: "heard " + text }];
      yield { type: "done", reason: "stop", message: { content, usage: { input: 1, output: 1 } } };
    },
  });`;

test("an extension can provide the session's model, and its faults only end an answer", async () => {
  await using at = await place({ "extensions/mine.ts": PROVIDER });
  const env = { ...at.env, MY_KEY: "sk-of-the-user" };
  await using rpc = await startRpc(["--model", "mine/m", "--set", "retry.enabled=false"], { ...at, env });
  const last = () => rpc.frames.findLast(({ type, message }) => type === "message_end" && message.role === "assistant");
  await rpc.prompt("hello");
  expect(last()!.message).toMatchObject({
    provider: "mine",
    model: "m",
    api: "own",
    stopReason: "stop",
    content: [{ type: "text", text: "heard hello" }],
  });
  await rpc.prompt("fail");
  expect(last()!.message).toMatchObject({ stopReason: "error", errorMessage: expect.stringContaining("no luck") });
  expect(JSON.stringify(rpc.frames)).not.toContain("sk-of-the-user");
  await rpc.call("prompt", { message: "wait" });
  await rpc.until(({ type }) => type === "turn_start");
  await rpc.call("abort");
  expect(last()!.message.stopReason).toBe("aborted");
  await rpc.prompt("again");
  expect(last()!.message.content).toEqual([{ type: "text", text: "heard again" }]);
  expect(await rpc.end()).toBe(0);
});
