import { expect, test } from "bun:test";
import { commands } from "@pintle/wire";
import { type ClientCalls, clientMethods } from "../../scripts/docs/client-methods.ts";

test("every command has a method of its own", () => {
  expect(Object.values(clientMethods).sort()).toEqual(Object.keys(commands).sort() as never[]);
});

test("methods are named as clients of the older protocol know them", () => {
  expect(clientMethods).toMatchObject({
    prompt: "prompt",
    followUp: "follow_up",
    abortAndPrompt: "abort_and_prompt",
    setCustomTools: "set_host_tools",
    getLastAssistantText: "get_last_assistant_text",
    exportHtml: "export_html",
  });
  expect(Object.keys(clientMethods)).not.toContain("setHostTools");
});

test("a method knows its parameters and its result", () => {
  const call: ClientCalls["setModel"]["params"] = { provider: "p", modelId: "m" };
  const result: ClientCalls["getLastAssistantText"]["result"] = { text: null };
  // @ts-expect-error: the id of a model is text
  const wrong: ClientCalls["setModel"]["params"] = { provider: "p", modelId: 1 };
  expect([call, result, wrong]).toHaveLength(3);
});
