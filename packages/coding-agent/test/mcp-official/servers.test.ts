import { describe, expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVERYTHING } from "../support/mcp-official/everything.ts";
import { official, withOfficial } from "../support/mcp-official/installed.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

interface CallResult {
  isError: boolean;
  content: Frame[];
  details?: Frame;
}

interface Session extends AsyncDisposable {
  rpc: RpcChild;
  cwd: string;
  /** Lets the model call a tool. */
  begin(tool: string, args?: object): Promise<void>;
  /** The result, once the run is over. */
  result(): Promise<CallResult>;
  call(tool: string, args?: object): Promise<CallResult>;
}

/** The built program with one server called "it", connected, and a model that sees images. */
async function sessionWith(define: (cwd: string) => object): Promise<Session> {
  const chat = await chatPlace();
  const home = chat.place.env.PINTLE_HOME as string;
  const models = JSON.parse(readFileSync(join(home, "models.json"), "utf8"));
  models.providers.local.models = [{ id: "m", input: ["text", "image"] }];
  writeFileSync(join(home, "models.json"), JSON.stringify(models));
  const { cwd } = chat.place;
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { it: define(cwd) } }));
  const rpc = await startRpc(CHAT, chat.place);
  const { server } = await rpc.until(({ type, server }) => type === "mcp_status" && server.status !== "connecting");
  if (server.status !== "connected") throw new Error(server.error);
  const session: Session = {
    rpc,
    cwd,
    async begin(tool, args = {}) {
      chat.server.respond(callsTools({ name: `mcp__it__${tool}`, args }), says("done"));
      await rpc.call("prompt", { message: "go" });
    },
    async result() {
      const { isError, result } = await rpc.until(({ type }) => type === "tool_execution_end");
      await rpc.until(({ type }) => type === "agent_settled");
      return { isError, ...result };
    },
    async call(tool, args) {
      await session.begin(tool, args);
      return session.result();
    },
    async [Symbol.asyncDispose]() {
      await rpc.end();
      await rpc[Symbol.asyncDispose]();
      await chat[Symbol.asyncDispose]();
    },
  };
  return session;
}

const offered = async (rpc: RpcChild): Promise<string[]> =>
  (await rpc.call("get_state")).data.dumpTools
    .map(({ name }: Frame) => name)
    .filter((name: string) => name.startsWith("mcp__"));

for (const [transport, start] of Object.entries(EVERYTHING)) {
  describe(`the server "everything" over ${transport}`, () => {
    withOfficial.test("lists its tools, answers calls, and shows images and long texts", async () => {
      await using server = await start();
      await using session = await sessionWith(() => server.definition);
      expect(await offered(session.rpc)).toEqual(
        expect.arrayContaining(["mcp__it__echo", "mcp__it__get_sum", "mcp__it__get_tiny_image"]),
      );
      // Once it knows its client, it announces more tools, but none for capabilities that were not declared.
      while (!(await offered(session.rpc)).includes("mcp__it__trigger_elicitation_request")) await Bun.sleep(20);
      expect((await offered(session.rpc)).filter((name) => /roots|sampling/.test(name))).toEqual([]);
      expect(await session.call("get_sum", { a: 2, b: 3 })).toMatchObject({
        isError: false,
        content: [{ type: "text", text: "The sum of 2 and 3 is 5." }],
      });
      const weather = await session.call("get_structured_content", { location: "Chicago" });
      expect(weather.details?.structuredContent).toMatchObject({ temperature: expect.any(Number) });
      const image = await session.call("get_tiny_image");
      expect(image.content).toContainEqual({ type: "image", mimeType: "image/png", data: expect.any(String) });
      const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n");
      const { content, details } = await session.call("echo", { message: lines });
      expect(content[0]?.text.split("\n").length).toBeLessThan(2_100);
      expect(readFileSync(details?.fullOutputPath, "utf8")).toContain("line 4999");
    });

    withOfficial.test("tells how far it is, stops when it is told to, and goes on afterwards", async () => {
      await using server = await start();
      await using session = await sessionWith(() => server.definition);
      const done = await session.call("trigger_long_running_operation", { duration: 0.4, steps: 4 });
      expect(done.content[0]?.text).toContain("Long running operation completed");
      const texts = session.rpc.frames
        .filter(({ type }) => type === "tool_execution_update")
        .map(({ partialResult }) => partialResult.content[0].text);
      expect(texts).toContainEqual(expect.stringMatching(/^[1-4]\/4/));
      await session.begin("trigger_long_running_operation", { duration: 600, steps: 3_000 });
      await session.rpc.until(({ type }) => type === "tool_execution_update");
      session.rpc.send({ id: "stop", type: "abort" });
      expect((await session.result()).isError).toBe(true);
      expect((await session.call("echo", { message: "still here" })).content[0]?.text).toBe("Echo: still here");
    });
  });
}

withOfficial.test('the server "filesystem" works in its directory and nowhere else', async () => {
  const program = official("@modelcontextprotocol/server-filesystem/dist/index.js");
  await using session = await sessionWith((cwd) => ({ command: "node", args: [program, cwd] }));
  const path = join(session.cwd, "note.txt");
  expect(await session.call("write_file", { path, content: "hello\n" })).toMatchObject({ isError: false });
  expect(readFileSync(path, "utf8")).toBe("hello\n");
  expect((await session.call("read_text_file", { path })).content[0]?.text).toContain("hello");
  const edits = [{ oldText: "hello", newText: "good evening" }];
  expect(await session.call("edit_file", { path, edits })).toMatchObject({ isError: false });
  expect(readFileSync(path, "utf8")).toBe("good evening\n");
  const outside = await session.call("write_file", { path: `${session.cwd}-other`, content: "x" });
  expect([outside.isError, existsSync(`${session.cwd}-other`)]).toEqual([true, false]);
});

withOfficial.test('the server "memory" keeps what it is told', async () => {
  const program = official("@modelcontextprotocol/server-memory/dist/index.js");
  await using session = await sessionWith((cwd) => ({
    command: "node",
    args: [program],
    env: { MEMORY_FILE_PATH: join(cwd, "memory.jsonl") },
  }));
  const entities = [{ name: "pintle", entityType: "program", observations: ["holds a rudder"] }];
  expect(await session.call("create_entities", { entities })).toMatchObject({ isError: false });
  const graph = await session.call("read_graph");
  expect(graph.details?.structuredContent).toMatchObject({ entities });
  expect(readFileSync(join(session.cwd, "memory.jsonl"), "utf8")).toContain("holds a rudder");
});
