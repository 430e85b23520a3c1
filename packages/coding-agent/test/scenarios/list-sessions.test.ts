import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/program.ts";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

test("a host lists the stored sessions of all directories, including its own, page by page", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(says("one"), says("two"), says("three"), held.respond);
  const { place } = chat;
  const elsewhere = join(place.root, "elsewhere");
  mkdirSync(elsewhere);
  await runProgram([...CHAT, "--name", "First", "-p", "question one"], place);
  await runProgram([...CHAT, "-p", "question two"], { ...place, cwd: elsewhere });

  await using rpc = await startRpc(CHAT, place);
  const list = async (params: object = {}) => (await rpc.call("list_sessions", params)).data;
  expect((await list()).sessions.map(({ status }: { status: string }) => status)).toEqual(["stored", "stored"]);
  await rpc.prompt("question three");
  const { sessionId, sessionFile } = (await rpc.call("get_state")).data;
  const own = {
    sessionId,
    sessionFile,
    cwd: place.cwd,
    messageCount: 2,
    firstMessage: "question three",
    status: "idle",
    cost: 0,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  };
  const page = await list({ limit: 1 });
  expect(page).toEqual({ sessions: [own], nextCursor: expect.any(String) });
  const rest = await list({ limit: 2, cursor: page.nextCursor });
  expect(rest).toEqual({
    sessions: [
      expect.objectContaining({ cwd: elsewhere, firstMessage: "question two", status: "stored" }),
      expect.objectContaining({ name: "First", firstMessage: "question one", status: "stored" }),
    ],
  });
  expect((await list({ cwd: elsewhere })).sessions).toEqual([rest.sessions[0]]);
  expect((await list({ query: "FIRST" })).sessions).toEqual([rest.sessions[1]]);
  expect((await list({ status: "stored" })).sessions).toEqual(rest.sessions);

  await rpc.call("prompt", { message: "and now?" });
  await held.asked;
  expect((await list({ status: "running" })).sessions).toMatchObject([{ sessionId, status: "running" }]);
  expect((await list({ status: "idle" })).sessions).toEqual([]);
  held.finish();
});
