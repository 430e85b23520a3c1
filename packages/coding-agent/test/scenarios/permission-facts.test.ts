import { expect, test } from "bun:test";
import { modelCalls } from "../support/scenarios/model-calls.ts";

// Tests what the built program tells the model about its permissions.

const facts = (messages: readonly { role: string; content: unknown }[]) =>
  messages.map(({ content }) => JSON.stringify(content)).filter((text) => text.includes("Permissions: "));

test("a changed preset is an appended message, and everything sent before stays byte for byte", async () => {
  await using on = await modelCalls([], ["--permissions", "plan"]);
  await using rpc = await on.start();
  await rpc.prompt("one");
  await rpc.prompt("two");
  expect(await rpc.call("set_permission_mode", { mode: "ask" })).toMatchObject({ success: true });
  await rpc.prompt("three");
  expect(await rpc.call("set_permission_mode", { mode: "full" })).toMatchObject({ success: true });
  await rpc.prompt("four");
  const [first, second, third, fourth] = on.requests();
  expect(facts(first?.messages ?? [])).toEqual([expect.stringContaining("plan mode: investigate only")]);
  expect(first?.messages[0]).toMatchObject({ role: "system" });
  expect(facts(first?.messages.slice(1) ?? [])).toEqual([]);
  expect(facts(second?.messages ?? [])).toHaveLength(1);
  expect(facts(third?.messages ?? [])[1]).toContain("changes to files and other commands");
  expect(facts(fourth?.messages ?? [])[2]).toContain("no longer restricted");
  for (const [earlier, later] of [
    [first, second],
    [second, third],
    [third, fourth],
  ]) {
    expect(JSON.stringify(later?.tools)).toBe(JSON.stringify(earlier?.tools));
    expect(later?.messages.slice(0, earlier?.messages.length)).toEqual(earlier?.messages ?? []);
  }
  expect((await rpc.call("get_session_stats")).data.cacheBreaks.count).toBe(0);
});

test("adds no message without restrictions", async () => {
  await using on = await modelCalls([], ["--permissions", "full"]);
  await using rpc = await on.start();
  await rpc.prompt("one");
  expect(facts(on.requests()[0]?.messages ?? [])).toEqual([]);
});
