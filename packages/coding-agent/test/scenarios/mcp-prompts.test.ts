import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullServer, mcpFile } from "../support/mcp/servers-of.ts";
import { runProgram } from "../support/program.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const START = [...CHAT, "--set", "mcp.startTimeoutMs=60000"];

function configure(chat: ChatPlace, ...flags: string[]): void {
  const home = chat.place.env.PINTLE_HOME as string;
  writeFileSync(join(home, "mcp.json"), mcpFile({ web: fullServer(...flags) }));
}

const lastUser = (chat: ChatPlace) =>
  chat.server.requests.at(-1)?.body.messages.findLast(({ role }: Frame) => role === "user").content;
const mcpCommands = async (rpc: RpcChild): Promise<Frame[]> =>
  (await rpc.call("get_available_commands")).data.commands.filter(({ source }: Frame) => source === "mcp_prompt");

async function untilConnected(rpc: RpcChild): Promise<void> {
  const isConnected = ({ type, server }: Frame) => type === "mcp_status" && server.status === "connected";
  if (!rpc.frames.some(isConnected)) await rpc.until(isConnected);
}

describe.each([
  ["2025-11-25", []],
  ["2026-07-28", ["--modern"]],
])("prompts of a server with protocol version %s", (_, flags) => {
  test("are commands, and the server's result becomes the user's prompt", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    configure(chat, ...flags);
    await using rpc = await startRpc(START, chat.place);
    await untilConnected(rpc);
    expect(await mcpCommands(rpc)).toEqual([
      { name: "web:image", description: "Shows an image", source: "mcp_prompt" },
      { name: "web:review", description: "Reviews a file", input: { hint: "<path> [focus]" }, source: "mcp_prompt" },
    ]);
    const { commands } = (await rpc.call("get_commands")).data;
    expect(commands.filter(({ name }: Frame) => name === "web:review")).toMatchObject([{ source: "prompt" }]);
    await rpc.prompt("/web:review focus=speed src/a.ts");
    expect(lastUser(chat)).toBe("Review src/a.ts for speed");
    await rpc.prompt("/web:image please");
    expect(lastUser(chat)).toBe(
      "What is this?\n[An image (image/png, 1 KB) was left out: the current model does not accept images.]\nAssistant:\nA dot.\n" +
        "[note://one, text/plain]\na note\n\nplease",
    );
  });

  test("that are added later are announced, and can be called", async () => {
    await using chat = await chatPlace(callsTools({ name: "mcp__web__grow" }), says("done"));
    configure(chat, ...flags);
    await using rpc = await startRpc(START, chat.place);
    await rpc.call("prompt", { message: "go" });
    const hasGrown = ({ type, commands }: Frame) =>
      type === "available_commands_update" && commands.some(({ name }: Frame) => name === "web:grown_2");
    await rpc.until(hasGrown);
    expect((await mcpCommands(rpc)).map(({ name }) => name)).toEqual(["web:grown_2", "web:image", "web:review"]);
  });
});

describe("a prompt of a server", () => {
  test("is rejected with an explanation without a required argument, or if the server rejects it", async () => {
    await using chat = await chatPlace(says("never"));
    configure(chat);
    await using rpc = await startRpc(START, chat.place);
    await untilConnected(rpc);
    rpc.send({ id: "p1", type: "prompt", message: "/web:review focus=speed" });
    const failure = await rpc.until(({ id, success }) => id === "p1" && success === false);
    expect(failure).toMatchObject({
      code: "invalid_request",
      error: "/web:review needs path. Usage: /web:review <path> [focus]",
    });
    rpc.send({ id: "p2", type: "prompt", message: "/web:review nowhere" });
    expect(await rpc.until(({ id, success }) => id === "p2" && success === false)).toMatchObject({
      error: '/web:review failed: MCP server "web" answered with an error: no prompt review',
    });
    expect(chat.server.requests).toEqual([]);
  });

  test("can be used for steering; text that is not a known prompt stays unchanged", async () => {
    await using chat = await chatPlace(says("one"), says("two"));
    configure(chat);
    await using rpc = await startRpc(START, chat.place);
    await untilConnected(rpc);
    await rpc.call("steer", { message: "/web:review b.ts" });
    await rpc.prompt("/web:nothing at all");
    const users = chat.server.requests
      .flatMap(({ body }) => body.messages)
      .filter(({ role }: Frame) => role === "user");
    expect(users.map(({ content }: Frame) => content)).toEqual(["/web:nothing at all\n\nReview b.ts for everything"]);
  });

  test("works on the command line", async () => {
    await using chat = await chatPlace(says("reviewed"));
    configure(chat);
    expect(await runProgram([...START, "-p", "/web:review c.ts"], chat.place)).toMatchObject({
      code: 0,
      stdout: "reviewed\n",
    });
    expect(lastUser(chat)).toBe("Review c.ts for everything");
  });
});
