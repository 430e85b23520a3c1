import { expect, test } from "bun:test";
import { startExample } from "../support/examples/start-example.ts";

// Examples around the session: what is kept in it, its name, other sessions.

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
