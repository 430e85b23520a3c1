import { describe, expect, test } from "bun:test";
import { RpcCommandError, type RpcEvent, RpcTimeoutError } from "../../src/core/index.ts";
import { agentEnd, connected, SETTLED, START } from "../support/scripted-server.ts";

async function typesOf(events: AsyncIterable<RpcEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe("run", () => {
  test("yields its events up to agent_end, and the result", async () => {
    const { client, server } = await connected();
    const run = client.run("hello", { images: [{ type: "image", data: "AA==", mimeType: "image/png" }] });
    expect(server.last).toMatchObject({ type: "prompt", message: "hello", images: [{ data: "AA==" }] });
    server.say(server.ok("prompt"), START, { type: "turn_start" }, agentEnd("hi"), SETTLED);
    expect(await typesOf(run)).toEqual(["agent_start", "turn_start", "agent_end"]);
    expect(await run.result).toMatchObject({ agentInvoked: true, text: "hi", stopReason: "stop", messages: [{}] });
  });

  test("ignores events before its acknowledgement", async () => {
    const { client, server } = await connected();
    server.say(START);
    const run = client.run("next", { streamingBehavior: "followUp" });
    server.say(agentEnd("old"), server.ok("prompt"), SETTLED, START, agentEnd("new"));
    expect(await typesOf(run)).toEqual(["agent_start", "agent_end"]);
    expect((await run.result).text).toBe("new");
  });

  test("a message that joins the active run ends with it", async () => {
    const { client, server } = await connected();
    server.say(START);
    const run = client.run("also", { streamingBehavior: "steer" });
    server.say(server.ok("prompt"), { type: "turn_start" }, agentEnd("both"));
    expect(await typesOf(run)).toEqual(["turn_start", "agent_end"]);
  });

  test("ends when the prompt was handled without the model", async () => {
    const { client, server } = await connected();
    const run = client.run("/command");
    server.say(server.ok("prompt"), { type: "prompt_result", id: "req_1", agentInvoked: false });
    expect(await run.result).toMatchObject({
      agentInvoked: false,
      status: "completed",
      text: "",
      messages: [],
      turns: 0,
    });
    expect(await typesOf(run)).toEqual(["prompt_result"]);
    expect(client.isIdle).toBe(true);
  });

  test("is not ended by the result of an earlier one", async () => {
    const { client, server } = await connected();
    const first = client.run("one");
    server.say(server.ok("prompt"), START, agentEnd("first"));
    await first.result;
    const second = client.run("two");
    server.say(server.ok("prompt"), SETTLED, { type: "prompt_result", id: "req_1", agentInvoked: true });
    expect(client.isIdle).toBe(false);
    server.say(START, agentEnd("second"), SETTLED, { type: "prompt_result", id: "req_2", agentInvoked: true });
    expect(await typesOf(second)).toEqual(["agent_start", "agent_end"]);
    expect((await second.result).text).toBe("second");
    expect(client.isIdle).toBe(true);
  });

  test("ends with its agent_end, wherever its result appears", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    server.say(
      server.ok("prompt"),
      { type: "prompt_result", id: "req_1", agentInvoked: true },
      START,
      agentEnd("done"),
    );
    expect((await run.result).text).toBe("done");
  });

  test("rejects with a rejected prompt, for both the iterator and the result", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    server.say(server.fail("prompt", "Agent is already processing.", "busy"));
    await expect(run.result).rejects.toMatchObject({ code: "busy" });
    await expect(typesOf(run)).rejects.toMatchObject({ code: "busy" });
  });

  test("a prompt that fails after it was accepted rejects it", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    server.say(server.ok("prompt"), server.fail("prompt", "No model selected."));
    await expect(run.result).rejects.toBeInstanceOf(RpcCommandError);
  });

  test("a provider error is a result", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    const message = { role: "assistant", content: [], stopReason: "error", errorMessage: "overloaded" };
    server.say(server.ok("prompt"), START, { type: "agent_end", messages: [message], stopReason: "error" });
    expect(await run.result).toMatchObject({ stopReason: "error", errorMessage: "overloaded", text: "" });
  });

  test("aborting its signal aborts the run, which resolves with the text so far", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const run = client.run("x", { signal: controller.signal });
    server.say(server.ok("prompt"), START);
    controller.abort(new Error("enough"));
    expect(server.last.type).toBe("abort");
    server.say({ ...agentEnd("half"), stopReason: "aborted" }, SETTLED, server.ok("abort"));
    expect(await typesOf(run)).toEqual(["agent_start", "agent_end"]);
    expect(await run.result).toMatchObject({
      status: "aborted",
      endedBy: "abort",
      stopReason: "aborted",
      text: "half",
    });
  });

  test("resolves if the abort arrives before the run starts", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const run = client.run("x", { signal: controller.signal });
    controller.abort();
    server.say(server.ok("prompt"), server.fail("prompt", "Request was aborted", "cancelled"), server.ok("abort"));
    expect(await run.result).toMatchObject({ status: "aborted", endedBy: "abort", agentInvoked: false, text: "" });
  });

  test("an already aborted signal rejects with its reason and sends nothing", async () => {
    const { client, server } = await connected();
    const reason = new Error("too late");
    await expect(client.promptAndWait("x", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.received).toEqual([]);
  });

  test("a signal aborted after the end sends nothing", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const run = client.run("x", { signal: controller.signal });
    server.say(server.ok("prompt"), START, agentEnd("done"), SETTLED);
    controller.abort();
    expect((await run.result).text).toBe("done");
    expect(await typesOf(run)).toEqual(["agent_start", "agent_end"]);
    expect(server.received.map(({ type }) => type)).toEqual(["prompt"]);
  });

  test("two loops over it share its events; neither hangs when the other leaves", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    const [first, second] = [run[Symbol.asyncIterator](), run[Symbol.asyncIterator]()];
    const waiting = [first.next(), second.next(), second.next()];
    server.say(server.ok("prompt"), START);
    expect((await waiting[0])?.value?.type).toBe("agent_start");
    await first.return?.();
    expect((await Promise.all(waiting.slice(1))).map(({ done }) => done)).toEqual([true, true]);
    server.say(agentEnd("done"));
    expect((await run.result).text).toBe("done");
  });

  test("an already aborted signal sends nothing", async () => {
    const { client, server } = await connected();
    await expect(client.run("x", { signal: AbortSignal.abort(new Error("no")) }).result).rejects.toThrow("no");
    expect(server.received).toEqual([]);
  });

  test("leaving the loop does not end the run", async () => {
    const { client, server } = await connected();
    const run = client.run("x");
    server.say(server.ok("prompt"), START, { type: "turn_start" });
    for await (const _event of run) break;
    server.say(agentEnd("done"));
    expect((await run.result).text).toBe("done");
  });

  test("a failure without a waiting caller is not an unhandled rejection", async () => {
    const { client, server } = await connected();
    let unhandled = 0;
    const count = () => {
      unhandled += 1;
    };
    process.on("unhandledRejection", count);
    client.run("x");
    server.say(server.fail("prompt", "no"));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", count);
    expect(unhandled).toBe(0);
  });
});

describe("promptAndWait", () => {
  test("resolves with the result", async () => {
    const { client, server } = await connected();
    const answer = client.promptAndWait("x");
    server.say(server.ok("prompt"), START, agentEnd("hi"));
    expect((await answer).text).toBe("hi");
  });

  test("ends with its timeout", async () => {
    const { client, server } = await connected();
    const answer = client.promptAndWait("x", { timeoutMs: 5 });
    server.say(server.ok("prompt"), START);
    await expect(answer).rejects.toBeInstanceOf(RpcTimeoutError);
  });
});

describe("waitForIdle", () => {
  test("resolves immediately when nothing is active", async () => {
    const { client } = await connected();
    await client.waitForIdle();
    expect(client.isIdle).toBe(true);
  });

  test("waits for what was sent, and until the run has settled", async () => {
    const { client, server } = await connected();
    const prompt = client.prompt("x");
    let isIdle = false;
    const idle = client.waitForIdle().then(() => {
      isIdle = true;
    });
    server.say(server.ok("prompt"));
    await prompt;
    server.say(START, agentEnd("hi"));
    await Promise.resolve();
    expect([isIdle, client.isIdle]).toEqual([false, false]);
    server.say(SETTLED);
    await idle;
    expect(client.isIdle).toBe(true);
  });

  test("waits for runs that other clients have started", async () => {
    const { client, server } = await connected();
    server.say(START);
    const idle = client.waitForIdle();
    expect(client.isIdle).toBe(false);
    server.say(agentEnd(""), SETTLED);
    await idle;
    expect(client.isIdle).toBe(true);
  });

  test("rejects if a prompt fails late, even before anything was waiting", async () => {
    const { client, server } = await connected();
    const prompt = client.prompt("x");
    server.say(server.ok("prompt"), server.fail("prompt", "No model selected."));
    await prompt;
    await expect(client.waitForIdle()).rejects.toThrow("No model selected.");
    await client.waitForIdle(); // reported once
  });

  test("treats a rejected prompt as finished", async () => {
    const { client, server } = await connected();
    const prompt = client.prompt("x");
    const idle = client.waitForIdle();
    server.say(server.fail("prompt", "busy"));
    await expect(prompt).rejects.toThrow("busy");
    await idle;
  });

  test("events of the previous prompt are not attributed to the next one", async () => {
    const { client, server } = await connected();
    const first = client.prompt("x");
    server.say(server.ok("prompt"), server.fail("prompt", "No model selected."));
    await first;
    const second = client.prompt("y");
    server.say(server.ok("prompt"), START, agentEnd(""), SETTLED);
    await second;
    await client.waitForIdle();
    expect(client.isIdle).toBe(true);
  });

  test("can be ended by a signal and by a timeout", async () => {
    const { client, server } = await connected();
    server.say(START);
    await expect(client.waitForIdle({ timeoutMs: 3 })).rejects.toBeInstanceOf(RpcTimeoutError);
    await expect(client.waitForIdle({ signal: AbortSignal.timeout(3) })).rejects.toThrow();
  });
});

describe("collectEvents", () => {
  test("returns everything up to the end of the run", async () => {
    const { client, server } = await connected();
    const events = client.collectEvents();
    const prompt = client.prompt("x");
    server.say(server.ok("prompt"), START, agentEnd("hi"), SETTLED);
    await prompt;
    expect((await events).map(({ type }) => type)).toEqual(["agent_start", "agent_end"]);
  });

  test("continues past the result of an earlier prompt, and ends when a prompt was handled", async () => {
    const { client, server } = await connected();
    const events = client.collectEvents();
    server.say(
      { type: "prompt_result", id: 1, agentInvoked: true },
      { type: "prompt_result", id: 2, agentInvoked: false },
    );
    expect((await events).map(({ type }) => type)).toEqual(["prompt_result", "prompt_result"]);
  });

  test("rejects if the prompt fails late", async () => {
    const { client, server } = await connected();
    const events = client.collectEvents();
    const prompt = client.prompt("x");
    server.say(server.ok("prompt"), server.fail("prompt", "No model selected."));
    await prompt;
    await expect(events).rejects.toThrow("No model selected.");
  });
});

describe("events", () => {
  test("start with the call and end with a signal", async () => {
    const { client, server } = await connected();
    const controller = new AbortController();
    const events = client.events({ signal: controller.signal });
    server.say(START, SETTLED);
    expect((await events.next()).value).toEqual(START as RpcEvent);
    controller.abort(new Error("enough"));
    expect((await events.next()).value).toEqual(SETTLED as RpcEvent);
    await expect(events.next()).rejects.toThrow("enough");
  });
});
