import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { GatewayClient, type RpcEvent } from "../../../client/src/index.ts";
import { program, runProgram } from "../support/program.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Tests `pintle simulate` in place of a gateway, with the client as its host.

/** Returns the address that the host connects to, and a promise of the end. */
async function gateway(name: string, flags: string[]) {
  const child = Bun.spawn([program, "simulate", name, ...flags], { stdin: "ignore", stderr: "pipe" });
  let text = "";
  const reader = child.stderr.getReader();
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`it has ended with ${await child.exited}: ${text}`);
    text += new TextDecoder().decode(value);
  }
  const address = /listening on (\S+)/.exec(text)?.[1] as string;
  const ended = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += new TextDecoder().decode(part.value);
    return { code: await child.exited, stderr: text.slice(text.indexOf("\n") + 1) };
  };
  return { address, ended };
}

const FAST = { minMs: 10, maxMs: 50 };

describe.each(["--listen", "--socket"])("pintle simulate %s", (way) => {
  async function session(name: string) {
    const place = machine();
    const path = join(place.cwd, "s.sock");
    const { address, ended } = await gateway(name, way === "--socket" ? [way, path] : [way, "127.0.0.1:0"]);
    const client = new GatewayClient({
      ...(way === "--socket" ? { socket: address } : { url: address }),
      reconnect: FAST,
    });
    await client.connect();
    const open = await client.open();
    const events: RpcEvent[] = [];
    open.onEvent((event) => events.push(event));
    const leave = async () => {
      client.end();
      const end = await ended();
      place[Symbol.dispose]();
      return end;
    };
    return { open, events, leave };
  }

  const said = (events: readonly RpcEvent[]) =>
    events
      .map((event) => (event.type === "message_update" ? event.assistantMessageEvent : undefined))
      .map((step) => (step && "delta" in step ? step.delta : ""))
      .join("");

  test.each([
    ["plain-answer", "Hello from the simulator.", "Hello from the simulator."],
    ["torn-line", "whole again", "whole again"],
    ["lost-connection", "before the loss, meanwhile, and after it", "before the loss, meanwhile, and after it"],
    ["lost-acknowledgement", "once", "once"],
    ["missed-too-much", "half and half", "half"],
  ])("%s: the run completes, and every part arrives exactly once", async (name, text, deltas) => {
    const { open, events, leave } = await session(name);
    expect((await open.promptAndWait("hello")).text).toBe(text);
    expect(said(events)).toBe(deltas);
    expect(await leave()).toEqual({ code: 0, stderr: "" });
  });

  test("restarted-server: the run is lost, and the session answers again", async () => {
    const { open, leave } = await session("restarted-server");
    const lost = await open.promptAndWait("hello").catch(String);
    expect(lost).toContain("The server restarted");
    expect((await open.promptAndWait("again")).text).toBe("Back again.");
    expect(await leave()).toEqual({ code: 0, stderr: "" });
  });
});

test("rejects a host without the token, and an address that others can reach", async () => {
  using place = machine();
  const { address, ended } = await gateway("plain-answer", ["--listen", "127.0.0.1:0"]);
  const refused = await new GatewayClient({ url: address.split("#")[0] as string, token: "wrong" })
    .connect()
    .catch((error) => error.status);
  expect(refused).toBe(401);
  const client = new GatewayClient({ url: address });
  await client.connect();
  client.end();
  // A host that leaves too early gets an error.
  expect(await ended()).toEqual({ code: 1, stderr: expect.stringContaining("the host closed") });
  const open = await runProgram(["simulate", "plain-answer", "--listen", "0.0.0.0:0"], place);
  expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("of this machine")]);
});

test("a gateway scenario without a listener exits with 2 and names the flags", async () => {
  using place = machine();
  const { code, stderr } = await runProgram(["simulate", "lost-connection"], place);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--listen 127.0.0.1:0 or --socket PATH")]);
});
