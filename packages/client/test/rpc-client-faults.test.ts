import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { rejection } from "../../ai/test/support/rejection.ts";
import { RpcClient, type RpcClientOptions, RpcClosedError, RpcTimeoutError } from "../src/index.ts";

const script = join(import.meta.dir, "support/fake-server.mjs");
const clients: RpcClient[] = [];

function client(behaviour: string, options: RpcClientOptions = {}): RpcClient {
  const made = new RpcClient({ command: [process.execPath, script, behaviour], stopGraceMs: 5000, ...options });
  clients.push(made);
  return made;
}

afterEach(async () => {
  for (const each of clients.splice(0)) await each.stop();
});

describe("start", () => {
  test("rejects with the exit code and stderr when the process ends before it is ready", async () => {
    const early = client("dies-early");
    const error = await early.start().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RpcClosedError);
    expect(error).toMatchObject({ code: 3, stderr: "bad config\n" });
    expect(error.message).toBe("The server exited with code 3\nbad config");
    expect(await early.exited).toEqual({ code: 3, signal: null });
  });

  test("rejects if the process never becomes ready, and leaves nothing behind", async () => {
    const silent = client("silent", { readyTimeoutMs: 1500 });
    const error = await silent.start().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RpcTimeoutError);
    expect(error.message).toContain("thinking hard");
    expect(await silent.exited).toEqual({ code: 0, signal: null });
  });

  test("rejects if the program does not exist", async () => {
    const none = client("", { command: ["/no/such/program"] });
    expect(await rejection(none.start())).toMatchObject({
      message: expect.stringContaining("The server could not be started"),
    });
    expect(await none.exited).toEqual({ code: null, signal: null });
  });

  test("can be cancelled by a signal", async () => {
    const silent = client("silent");
    const controller = new AbortController();
    const started = silent.start({ signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await rejection(started)).toMatchObject({ message: expect.stringContaining("enough") });
    await silent.exited;
  });

  test("is cancelled by stop()", async () => {
    const silent = client("silent");
    const started = silent.start();
    const outcome = started.catch((error) => error);
    await silent.stop();
    expect(await outcome).toBeInstanceOf(RpcClosedError);
  });

  test("is cancelled by stop(), even while it waits for the previous process to exit", async () => {
    const deaf = client("deaf", { stopGraceMs: 300 });
    await deaf.start();
    const stopped = deaf.stop();
    const again = deaf.start().catch((error) => error);
    await deaf.stop();
    await stopped;
    expect(await again).toMatchObject({ name: "RpcClosedError", message: "The client was stopped" });
    expect(await deaf.exited).toEqual({ code: null, signal: "SIGTERM" });
    expect(await rejection(deaf.getState())).toMatchObject({
      message: expect.stringContaining("The client is not started"),
    });
  });

  test("with an already aborted signal starts no process", async () => {
    let spawned = 0;
    const none = client("", {
      spawn: () => {
        spawned += 1;
        throw new Error("not wanted");
      },
    });
    expect(await rejection(none.start({ signal: AbortSignal.abort(new Error("too late")) }))).toMatchObject({
      message: expect.stringContaining("too late"),
    });
    expect(spawned).toBe(0);
  });

  test("fails if called twice, but not after stop()", async () => {
    const twice = client("normal");
    await twice.start();
    expect(await rejection(twice.start())).toMatchObject({
      message: expect.stringContaining("Client already started"),
    });
    void twice.stop();
    expect(await twice.start()).toMatchObject({ sessionId: "fake" });
  });
});

describe("a process that dies", () => {
  test("rejects everything that is waiting, with its exit code and the end of stderr", async () => {
    const dying = client("dies-in-mid-line", { stderrLimit: 100 });
    await dying.start();
    const faults: string[] = [];
    dying.onProtocolError(({ message }) => faults.push(message));
    const events = dying.events();
    const run = dying.run("x");
    const outcomes = await Promise.allSettled([dying.getState(), run.result, events.next(), dying.waitForIdle()]);
    for (const outcome of outcomes) {
      const reason = outcome.status === "rejected" ? outcome.reason : outcome;
      expect(reason).toBeInstanceOf(RpcClosedError);
      expect(reason).toMatchObject({ code: 4, signal: null });
      expect(reason.stderr).toEndWith("xxx\nout of memory\n");
      expect(reason.stderr).toHaveLength(100);
    }
    expect(faults).toHaveLength(1); // the truncated line
    expect(await rejection(dying.getState())).toBeInstanceOf(RpcClosedError);
  });

  test("can be started again", async () => {
    const dying = client("dies-in-mid-line");
    await dying.start();
    expect(await rejection(dying.getState())).toBeInstanceOf(RpcClosedError);
    expect(await dying.start()).toMatchObject({ sessionId: "fake" });
    expect(await rejection(dying.getState())).toBeInstanceOf(RpcClosedError);
    expect(await dying.restart()).toMatchObject({ sessionId: "fake" });
  });

  test("by a signal is reported as such", async () => {
    let pid = 0;
    const { spawn } = await import("node:child_process");
    const killed = client("normal", {
      spawn: (args) => {
        const child = spawn(process.execPath, [script, "normal", ...args], { stdio: "pipe" });
        pid = child.pid ?? 0;
        return child;
      },
    });
    await killed.start();
    const waiting = killed.waitForIdle().then(() => killed.request({ type: "a" }));
    await waiting;
    const idle = killed.run("x").result;
    process.kill(pid, "SIGKILL");
    expect(await rejection(idle)).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("is noticed although a grandchild holds its output open", async () => {
    const gone = client("leaves-child");
    await gone.start();
    expect(await rejection(gone.getState())).toMatchObject({ code: 5 });
    const pid = Number(/grandchild (\d+)/.exec(gone.getStderr())?.[1]);
    process.kill(pid, "SIGKILL");
  });

  test("one that closes its output is treated as dead and killed", async () => {
    // Use a shell: a JavaScript runtime keeps duplicates of its output.
    const commands = `echo '{"type":"ready"}'; read command; exec sleep 30 1>&-`;
    const mute = client("", { command: ["sh", "-c", commands], stopGraceMs: 1000 });
    await mute.start();
    expect(await rejection(mute.getState())).toMatchObject({
      message: expect.stringContaining("The server closed its output"),
    });
    expect((await mute.exited).signal).toBe("SIGTERM");
  });
});

describe("input", () => {
  test("reports and skips garbage, before and after ready", async () => {
    const noisy = client("garbage");
    const lines: string[] = [];
    noisy.onProtocolError((fault) => lines.push("line" in fault ? fault.line : ""));
    await noisy.start();
    await noisy.getState();
    expect(lines).toEqual(["Loading plugins...", "\uFFFD\uFFFD\0", "\u001b[1mwarning\u001b[0m"]);
  });

  test("matches responses that arrive out of order and twice", async () => {
    const mixed = client("out-of-order");
    await mixed.start();
    const steers = ["a", "b", "c", "d"].map((message) => mixed.steer(message));
    expect(await Promise.all(steers)).toEqual(["a", "b", "c", "d"].map((message) => ({ message })) as never);
  });

  test("accepts a line of 64 MB", async () => {
    const huge = client("huge");
    await huge.start();
    const { text } = await huge.getLastAssistantText();
    expect(text).toHaveLength(32 * 1024 * 1024);
    expect(text?.endsWith("é")).toBe(true);
  });
});

test("sends 64 MB, and queues what is sent meanwhile", async () => {
  const counting = client("counts");
  await counting.start();
  const notices = counting.events();
  const image = { type: "image" as const, data: "A".repeat(64 * 1024 * 1024), mimeType: "image/png" };
  const run = counting.run("look", { images: [image] });
  const second = counting.getState();
  const frames = [
    { id: "req_1", message: "look", images: [image], type: "prompt" },
    { id: "req_2", type: "get_state" },
  ];
  const expected = frames.reduce((sum, frame) => sum + JSON.stringify(frame).length + 1, 0);
  let last = "";
  for await (const event of notices) {
    if (event.type === "notice") last = event.message;
    if (Number(last) >= expected) break;
  }
  expect(Number(last)).toBe(expected);
  const outcomes = Promise.allSettled([run.result, second]);
  await counting.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

describe("stop", () => {
  test("ends a server by closing its input", async () => {
    const normal = client("normal");
    await normal.start();
    await normal.stop();
    expect(await normal.exited).toEqual({ code: 0, signal: null });
    await normal.stop();
  });

  test("sends SIGTERM if that is not enough", async () => {
    const deaf = client("deaf", { stopGraceMs: 1000 });
    await deaf.start();
    await deaf.stop();
    expect(await deaf.exited).toEqual({ code: null, signal: "SIGTERM" });
  });

  test("sends SIGKILL at last; all callers wait for the same exit", async () => {
    const stubborn = client("stubborn", { stopGraceMs: 300 });
    await stubborn.start();
    await Promise.all([stubborn.stop(), stubborn.stop(), stubborn[Symbol.asyncDispose]()]);
    expect(await stubborn.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("rejects everything that is waiting immediately", async () => {
    const deaf = client("deaf", { stopGraceMs: 300 });
    await deaf.start();
    const waiting = deaf.waitForIdle({ signal: new AbortController().signal }).then(() => deaf.events().next());
    await Promise.resolve();
    await Promise.all([
      deaf.stop(),
      expect(await rejection(waiting)).toMatchObject({ message: expect.stringContaining("The client was stopped") }),
    ]);
  });

  test("is called by `using`", async () => {
    const normal = client("normal");
    {
      using scoped = normal;
      await scoped.start();
    }
    expect(await normal.exited).toEqual({ code: 0, signal: null });
  });
});

test("options become arguments, in the order that servers expect", async () => {
  const normal = client("normal", { provider: "p", model: "m", sessionDir: "/d", args: ["--no-title"] });
  await normal.start();
  const { args } = await normal.request<{ args: string[] }>({ type: "x" });
  expect(args).toEqual(["--mode", "rpc", "--provider", "p", "--model", "m", "--session-dir", "/d", "--no-title"]);
});

test("a function can build the command, and a script is started with Bun", async () => {
  const made = client("", { command: (args) => [process.execPath, script, "normal", ...args, "extra"] });
  await made.start();
  const { args } = await made.request<{ args: string[] }>({ type: "x" });
  expect(args).toEqual(["--mode", "rpc", "extra"]);
});
