import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { startExample } from "../support/examples/start-example.ts";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Examples that decide what the model may do.

test("ask-before-writing.ts asks through the host", async () => {
  await using run = await startExample("ask-before-writing.ts");
  const write = async (path: string, confirmed: boolean) => {
    await run.rpc.call("prompt", { message: `call write {"path":"${path}","content":"x"}` });
    const { title } = await run.answer("confirm", { confirmed });
    await run.rpc.until(({ type }) => type === "agent_settled");
    return [title, existsSync(run.file(path))];
  };
  expect(await write("no.txt", false)).toEqual(["Write no.txt?", false]);
  expect(await write("yes.txt", true)).toEqual(["Write yes.txt?", true]);
  await run.rpc.prompt('call write {"path":"src/free.txt","content":"x"}');
  expect([existsSync(run.file("src/free.txt")), run.shown("confirm").length]).toEqual([true, 2]);
});

describe("confirm-bash.ts", () => {
  const COMMAND = "rm -rf build";
  const rows: [answer: object, isThere: boolean][] = [
    [{ value: "Do not run it" }, true],
    [{ cancelled: true }, true],
    [{ value: "anything else" }, true],
    [{ value: "Run it once" }, false],
  ];
  test.each(rows)("asks, and accepts only an explicit yes: %j", async (answer, isThere) => {
    await using run = await startExample("confirm-bash.ts", { files: { "build/a": "x" } });
    await run.rpc.call("prompt", { message: `run ${COMMAND}` });
    const { title, options } = await run.answer("select", answer);
    expect([title, options.length]).toEqual([`This deletes without asking:\n${COMMAND}`, 3]);
    await run.rpc.until(({ type }) => type === "agent_settled");
    expect([existsSync(run.file("build/a")), run.resultOf("bash")[0]]).toEqual([isThere, isThere]);
  });

  test("remembers the approval of one command for the session", async () => {
    await using run = await startExample("confirm-bash.ts");
    await run.rpc.call("prompt", { message: `run ${COMMAND}` });
    await run.answer("select", { value: "Run it, now and later in this session" });
    await run.rpc.until(({ type }) => type === "agent_settled");
    await run.rpc.prompt(`run ${COMMAND}`);
    await run.rpc.prompt("run echo harmless");
    expect(run.shown("select").length).toBe(1);
    await run.rpc.call("prompt", { message: "run rm -r other" });
    await run.answer("select", { cancelled: true });
  });
});

describe("protected-paths.ts", () => {
  const rows: [request: string, isAllowed: boolean][] = [
    ['call write {"path":"secrets/key","content":"x"}', false],
    ['call write {"path":"deep/secrets","content":"x"}', false],
    ['call write {"path":"link/key","content":"x"}', false],
    ["run echo x > ./secrets/key", false],
    ['call write {"path":"secrets.md","content":"x"}', true],
    ["run echo secretsandmore", true],
  ];
  test.each(rows)("%s: %p", async (request, isAllowed) => {
    await using run = await startExample("protected-paths.ts", {
      args: ["--protect=secrets,.env"],
      prepare({ cwd }) {
        mkdirSync(`${cwd}/secrets`);
        symlinkSync("secrets", `${cwd}/link`);
      },
    });
    await run.rpc.prompt(request);
    const [isError, text] = run.resultOf(request.startsWith("run") ? "bash" : "write");
    expect([isError, existsSync(run.file("secrets/key"))]).toEqual([!isAllowed, false]);
    if (!isAllowed) expect(text).toBe("secrets is protected. Leave it as it is.");
  });
});

test("plan-mode.ts removes tools that change something, and restores them", async () => {
  const write = callsTools({ name: "write", args: { path: "a.txt", content: "x" } });
  const answers = [write, says("1. Write a.txt"), write, says("done")];
  await using run = await startExample("plan-mode.ts", { answers });
  await run.command("/go");
  expect(run.shown("notify").map(({ message }) => message)).toEqual(["There is no plan: /plan first."]);
  await run.command("/plan");
  expect(run.shown("setStatus").at(-1)?.statusText).toBe("planning");
  await run.rpc.prompt("write a file");
  expect([run.resultOf("write")[0], existsSync(run.file("a.txt"))]).toEqual([true, false]);
  await run.command("/go");
  await run.rpc.until(({ type }) => type === "agent_settled");
  expect([run.resultOf("write")[0], existsSync(run.file("a.txt"))]).toEqual([false, true]);
  const offered = run.requests.map(({ body }) => body.tools.map((tool: Frame) => tool.function.name).includes("write"));
  const told = run.requests.map(({ body }) => JSON.stringify(body.messages[0]).includes("You are planning."));
  expect([offered, told]).toEqual([
    [false, false, true, true],
    [true, true, false, false],
  ]);
});

test("plan-mode.ts: a resumed session stays in plan mode, and a new one does not", async () => {
  await using run = await startExample("plan-mode.ts", { args: ["--plan"] });
  await run.rpc.prompt("write a.txt: x");
  const { sessionFile } = (await run.rpc.call("get_state")).data;
  await run.rpc.call("new_session");
  await run.rpc.prompt("write b.txt: x");
  await run.rpc.call("switch_session", { sessionPath: sessionFile });
  await run.rpc.prompt("write c.txt: x");
  expect(["a.txt", "b.txt", "c.txt"].map((name) => existsSync(run.file(name)))).toEqual([false, true, false]);
});
