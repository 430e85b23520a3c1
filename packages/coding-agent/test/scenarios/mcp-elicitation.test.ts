import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullServer, mcpFile } from "../support/mcp/servers-of.ts";
import { runProgram } from "../support/program.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const homeOf = ({ place }: ChatPlace) => place.env.PINTLE_HOME as string;
const logOf = (chat: ChatPlace) => join(homeOf(chat), "log");

function configure(chat: ChatPlace, ...flags: string[]): void {
  writeFileSync(join(homeOf(chat), "mcp.json"), mcpFile({ shop: fullServer("--log", logOf(chat), ...flags) }));
}

const isDialog = ({ type, method }: Frame) => type === "extension_ui_request" && method !== "cancel";

/** Even if it arrived while something else was awaited. */
const seen = async (rpc: RpcChild, fits: (frame: Frame) => boolean): Promise<Frame> =>
  rpc.frames.find(fits) ?? rpc.until(fits);

/** A host whose user answers the dialogs one after another. Returns what was shown. */
async function answerAll(rpc: RpcChild, ...answers: object[]): Promise<Frame[]> {
  const shown: Frame[] = [];
  for (const answer of answers) {
    const dialog = await seen(rpc, (frame) => isDialog(frame) && !shown.includes(frame));
    shown.push(dialog);
    rpc.send({ type: "extension_ui_response", id: dialog.id, ...answer });
  }
  return shown;
}

const resultText = async (rpc: RpcChild): Promise<string> =>
  (await seen(rpc, ({ type }) => type === "tool_execution_end")).result.content[0].text;
const settled = (rpc: RpcChild) => seen(rpc, ({ type }) => type === "agent_settled");

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", description: "as on the card", minLength: 2 },
    seats: { type: "integer", minimum: 1, maximum: 8, default: 2 },
    size: {
      type: "string",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" },
      ],
      default: "l",
    },
    extras: { type: "array", items: { type: "string", enum: ["salt", "oil"] }, minItems: 1 },
    news: { type: "boolean", default: true },
    note: { type: "string" },
  },
  required: ["name", "size", "extras"],
};
const form = (schema: object = SCHEMA) =>
  callsTools({ name: "mcp__shop__form", args: { message: "Your order", schema } });

describe.each([
  ["2025-11-25", []],
  ["2026-07-28", ["--modern"]],
])("a server with protocol version %s", (_, flags) => {
  test("asks for a form field by field, and receives values that fit", async () => {
    await using chat = await chatPlace(form(), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    const shown = await answerAll(
      rpc,
      { value: "Answer" },
      { value: "J" }, // too short
      { value: "Jo" },
      { value: "9" }, // too many
      { value: "" }, // the default
      { value: "Large (default)" },
      { value: "oil" },
      { value: "Done" },
      { value: "No" },
      { value: "" },
    );
    const content = { name: "Jo", seats: 2, size: "l", extras: ["oil"], news: false };
    expect(JSON.parse(await resultText(rpc))).toEqual({ answer: { action: "accept", content } });
    expect(shown.map(({ method, title }) => `${method} ${title}`)).toEqual([
      'select MCP server "shop" asks: Your order',
      'input MCP server "shop": Your name\nas on the card',
      'input MCP server "shop": Your name\nas on the card\nat least 2 characters are needed',
      'input MCP server "shop": seats (a whole number from 1 up to 8; default: 2; optional)',
      'input MCP server "shop": seats (a whole number from 1 up to 8; default: 2; optional)\nit must be at most 8',
      'select MCP server "shop": size (default: Large)',
      'select MCP server "shop": extras',
      'select MCP server "shop": extras\nso far: oil',
      'select MCP server "shop": news (default: yes; optional)',
      'input MCP server "shop": note (optional)',
    ]);
    expect(shown[5]?.options).toEqual(["Small", "Large (default)"]);
    await settled(rpc);
  });

  test("receives a decline or a closed dialog", async () => {
    await using chat = await chatPlace(form(), form(), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    await answerAll(rpc, { value: "Decline" }, { value: "Answer" }, { cancelled: true });
    await settled(rpc);
    const results = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(results.map(({ result }) => JSON.parse(result.content[0].text).answer)).toEqual([
      { action: "decline" },
      { action: "cancel" },
    ]);
  });

  test("sends the user to an address, which is shown in full and never fetched", async () => {
    let visits = 0;
    const count = () => {
      visits += 1;
      return new Response();
    };
    await using site = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: count });
    const url = `http://127.0.0.1:${site.port}/login?for=you`;
    const visit = callsTools({ name: "mcp__shop__address", args: { url } });
    await using chat = await chatPlace(visit, visit, says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    const [first] = await answerAll(rpc, { confirmed: true }, { confirmed: false });
    await settled(rpc);
    expect(first).toMatchObject({ method: "confirm", title: 'MCP server "shop" wants you to open an address' });
    expect(first?.message).toContain(`Log in there\n\n${url}\n\n`);
    const results = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(results.map(({ result }) => JSON.parse(result.content[0].text).answer)).toEqual([
      { action: "accept" },
      { action: "decline" },
    ]);
    expect(visits).toBe(0);
  });

  test("cannot send the user to an unsafe address", async () => {
    const visit = (url: string) => callsTools({ name: "mcp__shop__address", args: { url } });
    await using chat = await chatPlace(
      visit("file:///etc/passwd"),
      visit("https://bank.example@evil.example/"),
      says("ok"),
    );
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.prompt("go");
    const results = rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(results.map(({ result }) => JSON.parse(result.content[0].text).answer)).toEqual([
      { action: "decline" },
      { action: "decline" },
    ]);
    expect(rpc.frames.filter(isDialog)).toEqual([]);
  });

  test("an abort of the run withdraws the question", async () => {
    await using chat = await chatPlace(form());
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    const { id } = await rpc.until(isDialog);
    await rpc.call("abort");
    expect(await seen(rpc, ({ method }) => method === "cancel")).toMatchObject({ targetId: id });
    await settled(rpc);
    expect((await rpc.call("get_pending")).data.pending).toEqual([]);
  });

  test("a question is cancelled if the host does not answer in time", async () => {
    await using chat = await chatPlace(form(), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc([...CHAT, "--set", "host.dialogTimeoutMs=1000"], chat.place);
    await rpc.prompt("go");
    expect(JSON.parse(await resultText(rpc))).toEqual({ answer: { action: "cancel" } });
  });

  test("a host without dialogs is not asked", async () => {
    await using chat = await chatPlace(form(), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc([...CHAT, "--no-ui"], chat.place);
    await rpc.prompt("go");
    const end = rpc.frames.find(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({ isError: true });
    expect(rpc.frames.filter(isDialog)).toEqual([]);
  });

  test("asks two questions, and the user sees one at a time", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__shop__two" }), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    await rpc.until(isDialog);
    expect((await rpc.call("get_pending")).data.pending).toHaveLength(1);
    await answerAll(rpc, { value: "Answer" }, { value: "Yes" }, { value: "Answer" }, { value: "Leave empty" });
    expect(JSON.parse(await resultText(rpc))).toEqual({
      a: { action: "accept", content: { ok: true } },
      b: { action: "accept", content: {} },
    });
    await settled(rpc);
  });
});

describe("a call that requires the user to visit an address first", () => {
  const locked = () => chatPlace(callsTools({ name: "mcp__shop__locked" }), says("done"));

  test("is repeated after the user's visit", async () => {
    await using chat = await locked();
    configure(chat);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    const shown = await answerAll(rpc, { confirmed: true }, { confirmed: true });
    expect(await resultText(rpc)).toBe("open");
    expect(shown.map(({ title }) => title)).toEqual([
      'MCP server "shop" wants you to open an address',
      'MCP server "shop" is waiting until you are done',
    ]);
    await settled(rpc);
  });

  test("is repeated when the server reports completion", async () => {
    await using chat = await locked();
    configure(chat, "--completes");
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    await answerAll(rpc, { confirmed: true });
    expect(await resultText(rpc)).toBe("open");
    await settled(rpc);
    expect(rpc.frames.filter(({ type, level }) => type === "notice" && level === "info")).toMatchObject([
      { message: 'MCP server "shop": the step at its address is complete' },
    ]);
  });

  test("is an error when the user declines", async () => {
    await using chat = await locked();
    configure(chat);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "go" });
    await answerAll(rpc, { confirmed: false });
    expect(await resultText(rpc)).toContain("URL elicitation");
    await settled(rpc);
  });
});

test("asks nothing without a host, and stores the user's answers only in the result", async () => {
  await using chat = await chatPlace(form(), says("done"), form(), says("done"));
  configure(chat);
  const printed = await runProgram([...CHAT, "-p", "go"], chat.place);
  expect(printed).toMatchObject({ code: 0, stdout: "done\n" });
  expect(readFileSync(logOf(chat), "utf8")).not.toContain("action");

  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.call("prompt", { message: "go" });
  await answerAll(rpc, { value: "Answer" }, { value: "sesame-1234" }, { cancelled: true });
  await settled(rpc);
  await rpc.end();
  expect(`${JSON.stringify(rpc.frames)}${await rpc.stderr()}`).not.toContain("sesame-1234");
  expect(existsSync(logOf(chat)) && readFileSync(logOf(chat), "utf8")).not.toContain("sesame-1234");
});
