import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

const URL = "db://tables/../users";
const isEnd = ({ type }: Frame) => type === "tool_execution_end";
const isUri = ({ type }: Frame) => type === "host_uri_request";
const isQuestion = ({ type }: Frame) => type === "extension_ui_request";

async function hostAt(chat: ChatPlace, preset: string): Promise<RpcChild> {
  const rpc = await startRpc([...CHAT, "--permissions", preset], { ...chat.place, dialect: "omp" });
  await rpc.call("set_host_uri_schemes", { schemes: [{ scheme: "db", writable: true }] });
  await rpc.call("prompt", { message: "go" });
  return rpc;
}

const write = () => callsTools({ name: "write", args: { path: URL, content: "x" } });
const read = () => callsTools({ name: "read", args: { path: URL } });

test("writing to a host URI is not a change in the workspace and needs approval", async () => {
  await using chat = await chatPlace(write(), says("done"));
  await using rpc = await hostAt(chat, "workspace");
  const question = await rpc.until(isQuestion);
  expect(question.title).toStartWith("Allow tool: write\n");
  expect(rpc.frames.filter(isUri)).toEqual([]);
  rpc.send({ type: "extension_ui_response", id: question.id, value: "Approve" });
  const asked = await rpc.until(isUri);
  expect(asked).toMatchObject({ operation: "write", url: URL, content: "x" });
  rpc.send({ type: "host_uri_result", id: asked.id });
  expect(await rpc.until(isEnd)).toMatchObject({ isError: false });
});

test.each([
  ["plan", "write", []],
  ["plan", "read", ["question"]],
  ["ask", "write", ["question"]],
  ["ask", "read", ["question"]],
  ["workspace", "write", ["question"]],
  ["workspace", "read", ["host"]],
  ["full", "write", ["host"]],
  ["full", "read", ["host"]],
])("preset %s, %s: %j", async (preset, tool, expected) => {
  await using chat = await chatPlace(tool === "read" ? read() : write(), says("done"));
  await using rpc = await hostAt(chat, preset);
  const seen: string[] = [];
  for (;;) {
    const frame = await rpc.until((each) => isEnd(each) || isUri(each) || isQuestion(each));
    if (isEnd(frame)) break;
    seen.push(isUri(frame) ? "host" : "question");
    if (isUri(frame)) rpc.send({ type: "host_uri_result", id: frame.id, content: "rows" });
    else rpc.send({ type: "extension_ui_response", id: frame.id, value: "Deny" });
  }
  expect(seen).toEqual(expected);
});

test.each([
  ["write", write],
  ["read", read],
])("an approved %s of a URI does not become one of a file when the host drops the scheme", async (_name, call) => {
  await using chat = await chatPlace(call(), says("done"));
  mkdirSync(join(chat.place.cwd, "db:"));
  await using rpc = await hostAt(chat, "ask");
  const question = await rpc.until(isQuestion);
  await rpc.call("set_host_uri_schemes", { schemes: [] });
  rpc.send({ type: "extension_ui_response", id: question.id, value: "Approve" });
  expect(await rpc.until(isEnd)).toMatchObject({ isError: true });
  expect(readdirSync(join(chat.place.cwd, "db:"))).toEqual([]);
});
