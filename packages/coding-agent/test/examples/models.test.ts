import { expect, test } from "bun:test";
import { startExample } from "../support/examples/start-example.ts";
import { says } from "../support/scenarios/chat-server.ts";

// Examples that call models, or bring them.

test("second-opinion.ts lets the model read what another one says", async () => {
  const answers = [says("Two and two are five."), says("Four, I think."), says("You are right.")];
  await using run = await startExample("second-opinion.ts", { answers });
  await run.rpc.prompt("add two and two");
  await run.command("/second-opinion nobody/knows");
  const [{ message, notifyType } = {}] = run.shown("notify");
  expect([message, notifyType]).toEqual(['There is no usable model "nobody/knows"', "warning"]);
  await run.rpc.call("prompt", { message: "/second-opinion local/thinker" });
  await run.rpc.until(({ type }) => type === "agent_settled");
  const [, second, third] = run.requests.map(({ body }) => [body.model, JSON.stringify(body.messages)]);
  expect(second).toEqual(["thinker", expect.stringContaining("Two and two are five.")]);
  expect(third).toEqual(["m", expect.stringContaining("thinker says:\\nFour, I think.")]);
});
