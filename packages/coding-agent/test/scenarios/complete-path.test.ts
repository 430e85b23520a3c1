import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, chatPlace } from "../support/scenarios/chat-server.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

function files(root: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), "");
  }
}

const complete = async (rpc: RpcChild, query: string, limit?: number): Promise<string[]> =>
  (await rpc.call("complete_path", { query, limit })).data.paths.map(({ path }: { path: string }) => path);

test("finds files and directories by letters in order, best match first, without ignored ones", async () => {
  await using chat = await chatPlace();
  const cwd = join(chat.place.cwd, "project");
  files(cwd, [
    "src/session/agent-session.ts",
    "src/agent.ts",
    "docs/agents.md",
    "test/agent.test.ts",
    "README.md",
    "build/agent.js",
    "node_modules/agent/index.js",
    ".git/agent",
    ".github/agent.yml",
  ]);
  writeFileSync(join(cwd, ".gitignore"), "build/\n");
  await using rpc = await startRpc(CHAT, { ...chat.place, cwd });
  expect(await complete(rpc, "agent")).toEqual([
    "src/agent.ts",
    "docs/agents.md",
    ".github/agent.yml",
    "test/agent.test.ts",
    "src/session/agent-session.ts",
  ]);
  expect(await complete(rpc, "agses")).toEqual(["src/session/agent-session.ts"]);
  expect(await complete(rpc, "src/ses", 1)).toEqual(["src/session/"]);
  expect(await complete(rpc, "READ")).toEqual(["README.md"]);
  expect(await complete(rpc, "Agent")).toEqual([]);
  expect(await complete(rpc, "", 3)).toEqual(["src/", "docs/", "test/"]);
});

test("searches outside the directory only for an explicit path", async () => {
  await using chat = await chatPlace();
  const cwd = join(chat.place.cwd, "project");
  files(chat.place.cwd, ["project/inside.txt", "outside.txt", "other/deep/file.txt"]);
  symlinkSync(join(chat.place.cwd, "other"), join(cwd, "link"));
  await using rpc = await startRpc(CHAT, { ...chat.place, cwd });
  expect(await complete(rpc, "outside")).toEqual([]);
  expect(await complete(rpc, "side")).toEqual(["inside.txt"]);
  expect(await complete(rpc, "../outs")).toEqual(["../outside.txt"]);
  expect(await complete(rpc, `${chat.place.cwd}/oth`)).toEqual([`${chat.place.cwd}/other/`]);
  expect(await complete(rpc, "../other/")).toEqual(["../other/deep/"]);
  expect(await complete(rpc, "../link/")).toEqual([]);
  expect(await complete(rpc, "/no/such/place/x")).toEqual([]);
});
