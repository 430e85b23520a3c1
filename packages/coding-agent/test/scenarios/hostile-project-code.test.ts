import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { cleanEnvironment, dist, program, repository, runProgram } from "../support/program.ts";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { contentOf, writeHostileCode } from "../support/scenarios/hostile-code.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

/** Commands that use everything that a project could have changed. */
const RPC_INPUT = [
  { type: "set_host_capabilities", trust: false },
  { type: "get_available_commands" },
  { type: "get_commands" },
  { type: "get_state", id: "s" },
  { type: "bash", command: "echo harmless" },
  { type: "prompt", message: "/ask now" },
  { type: "new_session" },
  { type: "prompt", message: "help" },
]
  .map((frame) => `${JSON.stringify(frame)}\n`)
  .join("");

const MODES: Record<string, { args: string[]; input: string }> = {
  text: { args: ["-p", "help"], input: "" },
  json: { args: ["--mode", "json", "help"], input: "" },
  rpc: { args: ["--mode", "rpc"], input: RPC_INPUT },
  "rpc-ui": { args: ["--mode", "rpc-ui"], input: RPC_INPUT },
  "rpc, closed by a flag": { args: ["--mode", "rpc", "--no-trust"], input: RPC_INPUT },
  "a list of models": { args: ["--list-models"], input: "" },
  doctor: { args: ["doctor"], input: "" },
  sessions: { args: ["sessions"], input: "" },
};

const LAUNCHERS: Record<string, string[]> = {
  "the program": [program],
  "the launcher npm links": [join(repository, "node_modules/.bin/pintle")],
  "node cli.js": ["node", join(dist, "cli.js")],
};

/** A scratch directory with a home in it, next to a project full of traps. */
async function hostilePlace() {
  const scratch = scratchDirectory();
  const server = await startLoopbackServer((response) => void response.writeHead(500).end());
  const cwd = join(scratch.path, "project");
  const home = join(scratch.path, "home");
  for (const directory of [cwd, home]) mkdirSync(directory);
  writeHostileCode({ root: scratch.path, cwd, url: server.url });
  return {
    root: scratch.path,
    cwd,
    server,
    env: cleanEnvironment(home),
    wasExecuted: () => existsSync(join(scratch.path, "EXECUTED")),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}

describe.each(Object.entries(LAUNCHERS))("%s without consent", (_name, command) => {
  test.each(Object.entries(MODES))(
    "%s: no code runs, and nothing is contacted or written",
    async (_mode, { args, input }) => {
      await using place = await hostilePlace();
      const before = contentOf(place.root);
      const { cwd, env } = place;
      const { code, stdout, stderr } = await runProgram(args, { cwd, env, input, command });
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      expect({ executed: place.wasExecuted(), requests: place.server.requests }).toEqual({
        executed: false,
        requests: [],
      });
      expect(contentOf(place.root)).toEqual(before);
      expect(`${stdout}${stderr}`).not.toMatch(/SECRET|evil_tool/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: names of the project must not reach a terminal like this
      expect(`${stdout}${stderr}`).not.toMatch(/[\x07\x1b]/);
    },
  );
});

test("the host receives the number of withheld parts, but no question", async () => {
  await using place = await hostilePlace();
  await using rpc = await startRpc([], place);
  expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "withheld" });
  const notice = await rpc.until(({ type, source }) => type === "notice" && source === "trust");
  expect(notice.message).toMatch(/^\d+ items of this project were withheld/);
  await rpc.prompt("help");
  expect(rpc.frames.filter(({ type }) => type === "trust_request")).toEqual([]);
  expect(place.wasExecuted()).toBe(false);
});

test("a link out of the tree causes no question, and unsolicited consent has no effect", async () => {
  await using place = await hostilePlace();
  symlinkSync("../../../id_rsa", join(place.cwd, ".pintle/tools/linked.ts"));
  await using rpc = await startRpc([], place);
  await rpc.call("set_host_capabilities", { trust: true });
  rpc.send({ type: "trust_response", id: "anything", trusted: true, remember: true });
  await rpc.prompt("help");
  expect(rpc.frames.filter(({ type }) => type === "trust_request")).toEqual([]);
  expect([place.wasExecuted(), place.server.requests]).toEqual([false, []]);
  expect(existsSync(join(place.root, "home/.pintle/trust.json"))).toBe(false);
});

test("the model receives the project's instructions and none of the user's files", async () => {
  await using chat = await chatPlace(says("fine"));
  const { place, server } = chat;
  const cwd = join(place.root, "project");
  mkdirSync(cwd);
  writeHostileCode({ root: place.root, cwd, url: "http://127.0.0.1:9" });
  await using rpc = await startRpc(CHAT, { ...place, cwd });
  await rpc.prompt("/ask now");
  const sent = JSON.stringify(server.requests.map(({ body }) => body));
  expect(sent).toContain("Harmless rule");
  expect(sent).toContain("Look at !`touch");
  expect(sent).not.toMatch(/SECRET/);
  expect(existsSync(join(place.root, "EXECUTED"))).toBe(false);
});

test("the fixture is hostile: once it is trusted, its code does run", async () => {
  await using place = await hostilePlace();
  await using rpc = await startRpc(["--trust", "--model", "pintle/offline"], place); // it names a model that does not exist
  expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "trusted" });
  expect(place.wasExecuted()).toBe(true);
});
