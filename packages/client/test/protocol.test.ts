import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CLIENT_PROTOCOL_PATH, renderClientProtocol } from "../../../scripts/docs/client-protocol.ts";
import { commands } from "../../wire/src/index.ts";
import { RpcCore } from "../src/core/index.ts";
import { METHODS } from "../src/protocol.ts";
import { connected } from "./support/scripted-server.ts";

test("the client's copy of the protocol is up to date", () => {
  const path = join(resolve(import.meta.dir, "../../.."), CLIENT_PROTOCOL_PATH);
  const isSame = readFileSync(path, "utf8") === renderClientProtocol();
  expect(isSame, `${CLIENT_PROTOCOL_PATH} does not match the declarations. Run: npm run docs`).toBe(true);
});

test("the client has a method for every command", () => {
  const methods = Object.entries(METHODS).filter(([name]) => name in RpcCore.prototype);
  expect(methods.map(([, { command }]) => command).sort()).toEqual(Object.keys(commands).sort() as never[]);
});

test("required fields are positional, the others are passed in an options object", async () => {
  const { client, server } = await connected();
  const calls = [
    client.setModel("p", "m"),
    client.prompt("hello", { streamingBehavior: "steer", timeoutMs: 1000, signal: new AbortController().signal }),
    client.resolvePendingAction("apply", { actionId: "pa_1" }),
    client.getMessagesPage({ limit: 3 }),
    client.setHostCapabilities({ ui: false }),
    client.bash("ls"),
    client.request({ type: "new_command", id: "mine", value: 1 }),
  ];
  expect(server.received.map(({ id: _id, ...frame }) => frame)).toEqual([
    { type: "set_model", provider: "p", modelId: "m" },
    { type: "prompt", message: "hello", streamingBehavior: "steer" },
    { type: "resolve_pending_action", action: "apply", actionId: "pa_1" },
    { type: "get_messages_page", limit: 3 },
    { type: "set_host_capabilities", ui: false },
    { type: "bash", command: "ls" },
    { type: "new_command", value: 1 },
  ]);
  expect(server.received.map(({ id }) => id)).toEqual(["req_1", "req_2", "req_3", "req_4", "req_5", "req_6", "req_7"]);
  client.disconnect();
  await Promise.allSettled(calls);
});
