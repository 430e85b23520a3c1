import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { startExample } from "../support/examples/start-example.ts";
import { says } from "../support/scenarios/chat-server.ts";

// Examples about sessions: their data, their names, other sessions.

test("notes.ts keeps notes and lists them", async () => {
  await using run = await startExample("notes.ts");
  await run.rpc.prompt('call take_note {"note":"tabs, not spaces"}');
  await run.command("/notes");
  expect(run.shown("notify").map(({ message }) => message)).toEqual(["tabs, not spaces"]);
  expect(run.shown("setStatus").at(-1)?.statusText).toBe("1 notes");
});

test("session-name.ts names a session once, after its first prompt", async () => {
  await using run = await startExample("session-name.ts");
  const name = async () => (await run.rpc.call("get_state")).data.sessionName;
  await run.rpc.prompt(`list ${"deep/".repeat(20)}\nand more`);
  expect(await name()).toBe(`list ${"deep/".repeat(11).slice(0, 54)}…`);
  await run.command("/name The other way");
  await run.rpc.prompt("list");
  expect(await name()).toBe("The other way");
});

test("handoff.ts continues in a new session with the text that the user has edited", async () => {
  await using run = await startExample("handoff.ts", { files: { "a.txt": "x" } });
  const { sessionFile, sessionId } = (await run.rpc.call("get_state")).data;
  await run.rpc.prompt("read a.txt");
  run.rpc.send({ type: "prompt", message: "/handoff test it" });
  const { prefill } = await run.answer("editor", { value: "run echo handed over" });
  expect(prefill).toMatch(/^Goal: test it\n\nFiles so far: a\.txt\n\nThe last answer was:\n/);
  await run.rpc.until(({ type }) => type === "agent_settled");
  expect(run.resultOf("bash")).toEqual([false, "handed over\n"]);
  const state = (await run.rpc.call("get_state")).data;
  expect(state.sessionId).not.toBe(sessionId);
  expect(JSON.parse(readFileSync(state.sessionFile, "utf8").split("\n")[0] as string).parentSession).toBe(sessionFile);
});

test("handoff.ts keeps the session when the user cancels", async () => {
  await using run = await startExample("handoff.ts");
  const { sessionId } = (await run.rpc.call("get_state")).data;
  run.rpc.send({ type: "prompt", message: "/handoff" });
  await run.answer("editor", { cancelled: true });
  expect((await run.untilShown("notify")).message).toBe("Nothing was handed over.");
  expect((await run.rpc.call("get_state")).data.sessionId).toBe(sessionId);
});

test("own-summary.ts summarizes without a model", async () => {
  await using run = await startExample("own-summary.ts", {
    answers: [says("first"), says("second"), says("third")],
    settings: { compaction: { keepRecentTokens: 1 } },
  });
  for (const text of ["one", "two"]) await run.rpc.prompt(text);
  const { summary } = (await run.rpc.call("compact")).data;
  expect([summary, run.requests.length]).toEqual([expect.stringContaining("The user asked:\n- one"), 2]);
  await run.rpc.prompt("three");
  expect(JSON.stringify(run.requests[2]?.body.messages)).toContain("The user asked:");
});
