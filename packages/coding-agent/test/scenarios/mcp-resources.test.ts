import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fullServer, mcpFile } from "../support/mcp/servers-of.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const START = [...CHAT, "--set", "mcp.startTimeoutMs=60000"];

function configure(chat: ChatPlace, ...flags: string[]): void {
  const home = chat.place.env.PINTLE_HOME as string;
  writeFileSync(join(home, "mcp.json"), mcpFile({ web: fullServer(...flags) }));
}

const results = (rpc: RpcChild): Frame[] =>
  rpc.frames.filter(({ type }) => type === "tool_execution_end").map(({ result, isError }) => ({ ...result, isError }));
const userTexts = (chat: ChatPlace): string[] =>
  chat.server.requests
    .at(-1)
    ?.body.messages.filter(({ role }: Frame) => role === "user")
    .map(({ content }: Frame) => content);
const read = (uri: string, server = "web") => ({ name: "read_resource", args: { server, uri } });

describe.each([
  ["2025-11-25", []],
  ["2026-07-28", ["--modern"]],
])("resources of a server with protocol version %s", (_, flags) => {
  test("are listed and read by the model", async () => {
    const uris = ["note://one", "note://by-name/two", "note://pixel", "note://data", "note://long", "note://nothing"];
    const calls = uris.map((uri, index) => ({ ...read(uri), id: `read_${index}` }));
    const wrong = { ...read("note://one", "other"), id: "read_w" };
    await using chat = await chatPlace(
      callsTools({ name: "list_resources" }),
      callsTools(...calls, wrong),
      says("done"),
    );
    configure(chat, ...flags);
    await using rpc = await startRpc(START, chat.place);
    await rpc.prompt("go");
    const [list] = results(rpc);
    expect(list?.content).toEqual([
      {
        type: "text",
        text: [
          "web note://one: one, text/plain",
          "web note://long: long, text/plain",
          "web note://pixel: pixel, image/png",
          "web note://data: data, application/octet-stream",
          "web note://by-name/{name} (template): by name, A note by its name",
        ].join("\n"),
      },
    ]);
    const byId = new Map(
      rpc.frames
        .filter(({ type }) => type === "tool_execution_end")
        .map(({ toolCallId, result }) => [toolCallId, result]),
    );
    const textOf = (id: string): string => byId.get(id).content[0].text;
    expect(textOf("read_0")).toStartWith("the first note");
    expect(textOf("read_1")).toBe("the note two");
    expect(textOf("read_2")).toContain("the current model does not accept images");
    const saved = /^\[note:\/\/data: application\/octet-stream, 11 bytes, saved as (.*)\]$/.exec(textOf("read_3"))?.[1];
    expect(readFileSync(saved ?? "", "latin1")).toBe("bytes\0bytes");
    expect(byId.get("read_4").content.at(-1).text).toContain("Only the beginning is shown");
    expect(textOf("read_5")).toContain("no resource note://nothing");
    expect(textOf("read_w")).toBe('There is no MCP server "other" with resources. There are: web');
  });

  test("are inserted before a prompt that mentions them; mentions that cannot be read stay text", async () => {
    await using chat = await chatPlace(says("one"));
    configure(chat, ...flags);
    await using rpc = await startRpc(START, chat.place);
    await rpc.prompt("Compare @web:note://one, @web:note://by-name/b and @web:note://nothing for me@web:x @other:y");
    const typed = "Compare @web:note://one, @web:note://by-name/b and @web:note://nothing for me@web:x @other:y";
    expect(userTexts(chat)).toEqual([
      [
        `<resource server="web" uri="note://one">\nthe first note ${"x".repeat(30)}\n</resource>`,
        '<resource server="web" uri="note://by-name/b">\nthe note b\n</resource>',
        typed,
      ].join("\n"),
    ]);
    const warnings = rpc.frames.filter(({ type, source }) => type === "notice" && source === "mcp");
    expect(warnings.map(({ message }) => message)).toEqual([
      '@web:note://nothing was not read: MCP server "web" answered with an error: no resource note://nothing',
    ]);
  });
});

describe("resources of a server", () => {
  test("are completed like files", async () => {
    await using chat = await chatPlace(says("one"));
    configure(chat);
    await using rpc = await startRpc(START, chat.place);
    await rpc.prompt("go"); // waits for the server
    const complete = async (query: string) => (await rpc.call("complete_path", { query })).data;
    expect(await complete("web:")).toEqual({
      paths: ["one", "long", "pixel", "data"].map((name) => ({ path: `web:note://${name}`, isDirectory: false })),
      isComplete: true,
    });
    expect((await complete("web:PIX")).paths).toEqual([{ path: "web:note://pixel", isDirectory: false }]);
    expect((await complete("other:x")).paths).toEqual([]);
  });

  test("a server without resources adds no resource tools", async () => {
    await using chat = await chatPlace(says("one"));
    configure(chat, "--bare");
    await using rpc = await startRpc(START, chat.place);
    await rpc.prompt("go");
    const names: string[] = (await rpc.call("get_state")).data.dumpTools.map(({ name }: Frame) => name);
    expect(names.filter((name) => name.endsWith("_resource") || name.endsWith("_resources"))).toEqual([]);
    expect(names).toContain("mcp__web__form");
  });

  test("disappear with the server", async () => {
    await using chat = await chatPlace(says("one"));
    await using rpc = await startRpc(START, chat.place);
    await rpc.call("set_mcp_servers", { servers: [{ name: "web", ...fullServer() }] });
    await rpc.prompt("go");
    const names = async (): Promise<string[]> =>
      (await rpc.call("get_state")).data.dumpTools
        .map(({ name }: Frame) => name)
        .filter((name: string) => name.includes("resource"));
    expect(await names()).toEqual(["list_resources", "read_resource"]);
    await rpc.call("set_mcp_servers", { servers: [] });
    expect(await names()).toEqual([]);
  });

  test("an abort ends the wait for a resource that never arrives, also without a run", async () => {
    await using chat = await chatPlace(says("one"));
    configure(chat);
    await using rpc = await startRpc(START, chat.place);
    await rpc.prompt("go"); // waits for the server
    rpc.send({ type: "steer", id: "s1", message: "see @web:note://never" });
    await rpc.call("abort");
    const refused = await rpc.until(({ id }) => id === "s1");
    expect(refused).toMatchObject({ success: false, code: "cancelled" });
    expect((await rpc.call("get_state")).data.queuedMessageCount).toBe(0); // and does not delay anything later
  });

  test("a host tool with the same name takes precedence, whichever comes first", async () => {
    const tool = { name: "read_resource", description: "The host's own", parameters: { type: "object" } };
    await using chat = await chatPlace(says("one"));
    await using rpc = await startRpc(START, chat.place);
    const servers = [{ name: "web", ...fullServer() }];
    const described = async () => {
      const tools: Frame[] = (await rpc.call("get_state")).data.dumpTools;
      return tools.find(({ name }) => name === "read_resource")?.description;
    };
    await rpc.call("set_host_tools", { tools: [tool] });
    await rpc.call("set_mcp_servers", { servers });
    await rpc.prompt("go");
    expect(await described()).toBe("The host's own");
    await rpc.call("set_host_tools", { tools: [] });
    expect(await described()).toStartWith("Reads a resource of an MCP server");
    expect(await rpc.call("set_host_tools", { tools: [tool] })).toMatchObject({ success: true });
    expect(await described()).toBe("The host's own");
  });
});
