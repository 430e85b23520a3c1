import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/program.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

// Runs background commands with the built program. The offline model makes the calls that the prompts name.

const OFFLINE = ["--model", "pintle/offline"];
const bash = (command: string, more: object = {}) => `call bash ${JSON.stringify({ command, ...more })}`;
const job = (args: object) => `call job ${JSON.stringify(args)}`;

async function stage(flags: string[] = [], capabilities: object = { asyncWork: true }) {
  const place = machine();
  const start = async (more: string[] = []): Promise<RpcChild> => {
    const rpc = await startRpc([...OFFLINE, ...flags, ...more], place);
    await rpc.call("set_host_capabilities", capabilities);
    return rpc;
  };
  return { place, start, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

const ofType = (frames: Frame[], type: string) => frames.filter((frame) => frame.type === type);
const until = (rpc: RpcChild, type: string) => rpc.until((frame) => frame.type === type);
const results = (frames: Frame[]) =>
  ofType(frames, "message_end").filter(({ message }) => message.customType === "async-result");
const lastResult = (frames: Frame[]) =>
  ofType(frames, "message_end").findLast(({ message }) => message.role === "toolResult")?.message.content[0].text;
/** A command that ends when the file appears. */
const untilFile = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;

describe("a background job", () => {
  test("returns immediately, and its result starts a new run when the session is idle", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.call("prompt", { message: bash(`echo begun; ${untilFile("go")}; exit 3`, { async: true }) });
    const { job: started } = await until(rpc, "async_job_start");
    expect(started).toMatchObject({ id: "bg_1", type: "bash", status: "running" });
    expect(await until(rpc, "agent_end")).toMatchObject({ awaitingAsyncWork: true, isTerminal: false, yielded: true });
    expect(await until(rpc, "prompt_result")).toMatchObject({ awaitingAsyncWork: true, sessionSettled: true });
    const state = await rpc.call("get_state", { brief: true });
    expect(state.data).toMatchObject({ hasPendingAsyncWork: true, isSettled: false, isStreaming: false });
    expect(ofType(rpc.frames, "session_settled")).toEqual([]);

    writeFileSync(join(on.place.cwd, "go"), "");
    expect((await until(rpc, "async_job_end")).job).toMatchObject({ id: "bg_1", status: "failed", exitCode: 3 });
    await until(rpc, "session_settled");
    const [result, ...others] = results(rpc.frames);
    expect(others).toEqual([]);
    expect(result?.message).toMatchObject({
      role: "custom",
      details: { jobs: [{ jobId: "bg_1", type: "bash", status: "failed", exitCode: 3 }] },
    });
    expect(result?.message.content).toMatch(/^<background_jobs>\nBackground job bg_1 has ended: exit code 3 after /);
    expect(result?.message.content).toContain("<output>\nbegun\n</output>");
    expect(ofType(rpc.frames, "prompt_result")).toHaveLength(1);
    expect(ofType(rpc.frames, "agent_settled")).toHaveLength(2);
    const after = await rpc.call("get_state", { brief: true });
    expect(after.data).toMatchObject({ isSettled: true });
    expect(after.data).not.toHaveProperty("hasPendingAsyncWork");
    const output = await rpc.call("get_async_job_output", { jobId: "bg_1", fromByte: 2, maxBytes: 3 });
    expect(output.data).toMatchObject({ status: "failed", fromByte: 2, nextByte: 6, text: "gun\n", truncated: false });
  });

  test("joins the active run once when it ends", async () => {
    using on = await stage();
    await using rpc = await on.start();
    const wait = bash(`${untilFile("ended")}; sleep 0.3`);
    await rpc.prompt(`${bash("touch ended", { async: true })}\n${wait}`);
    await until(rpc, "session_settled");
    expect(results(rpc.frames)).toHaveLength(1);
    expect(ofType(rpc.frames, "agent_start")).toHaveLength(1);
  });

  test("lasts until all its child processes have ended, and leaves none behind", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash(`(${untilFile("go")}; touch later) & echo shell ends`, { async: true }));
    expect((await rpc.call("get_async_jobs")).data.jobs).toMatchObject([{ id: "bg_1", status: "running" }]);
    writeFileSync(join(on.place.cwd, "go"), "");
    await until(rpc, "async_job_end");
    expect(existsSync(join(on.place.cwd, "later"))).toBe(true);
  });

  test("is rejected while async work is off, with the name of the setting, and nothing runs", async () => {
    using on = await stage([], {});
    await using rpc = await on.start();
    await rpc.prompt(bash("touch ran", { async: true }));
    expect(lastResult(rpc.frames)).toContain("async work is off (setting async.enabled)");
    expect(existsSync(join(on.place.cwd, "ran"))).toBe(false);
    expect((await rpc.call("get_state")).data.dumpTools.map(({ name }: Frame) => name)).not.toContain("job");
    expect(await rpc.call("background_tool_call")).toMatchObject({ success: false, code: "invalid_request" });
  });

  test("stays off if --set disables it, even if the host requests it", async () => {
    using on = await stage(["--set", "async.enabled=false"]);
    await using rpc = await on.start();
    await rpc.prompt(bash("true", { async: true }));
    expect(lastResult(rpc.frames)).toContain("async work is off");
  });

  test("counts toward the limit of async.maxJobs", async () => {
    using on = await stage(["--set", "async.maxJobs=1"]);
    await using rpc = await on.start();
    await rpc.prompt(`${bash("sleep 60", { async: true })}\n${bash("touch second", { async: true })}`);
    expect(lastResult(rpc.frames)).toContain("the limit of the setting async.maxJobs");
    expect(existsSync(join(on.place.cwd, "second"))).toBe(false);
  });

  test("does not wait for a service, and reports only its failure", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(
      `${bash("sleep 60", { service: true })}\n${bash(`${untilFile("go")}; exit 7`, { service: true })}`,
    );
    await until(rpc, "session_settled");
    expect(ofType(rpc.frames, "agent_end")).toMatchObject([{ stopReason: "stop" }]);
    expect(ofType(rpc.frames, "agent_end")[0]).not.toHaveProperty("awaitingAsyncWork");
    writeFileSync(join(on.place.cwd, "go"), "");
    await until(rpc, "session_settled");
    expect(results(rpc.frames)).toHaveLength(1);
    expect(await rpc.call("cancel_async_job", { jobId: "bg_1" })).toMatchObject({
      data: { job: { status: "cancelled" } },
    });
    expect(ofType(rpc.frames, "agent_start")).toHaveLength(2);
  });
});

describe("the model", () => {
  test("lists, reads, waits for and kills jobs, and results it has received are not reported again", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash("echo one; sleep 60", { async: true }));
    await rpc.prompt(job({ action: "list" }));
    expect(lastResult(rpc.frames)).toBe("bg_1 (running): echo one; sleep 60");
    while ((await rpc.call("get_async_jobs")).data.jobs[0].bytes === 0) await Bun.sleep(10);
    await rpc.prompt(job({ action: "read", jobs: ["bg_1"] }));
    expect(lastResult(rpc.frames)).toContain("<output>\none\n</output>");
    await rpc.prompt(job({ action: "kill", jobs: ["bg_1"] }));
    expect(lastResult(rpc.frames)).toMatch(/^bg_1 \(ended after .* s\): /);
    await rpc.prompt(`${bash("echo two", { async: true })}\n${job({ action: "wait" })}`);
    expect(lastResult(rpc.frames)).toMatch(/^bg_2 \(exit code 0 after .* s\): echo two\n<output>\ntwo\n<\/output>/);
    await until(rpc, "session_settled");
    expect(results(rpc.frames)).toEqual([]);
    await rpc.prompt(job({ action: "kill" }));
    expect(lastResult(rpc.frames)).toContain("kill needs jobs");
    await rpc.prompt(job({ action: "read", jobs: ["bg_9"] }));
    expect(lastResult(rpc.frames)).toContain("Unknown job: bg_9. The jobs are bg_1, bg_2.");
  });

  test("receives the output so far when the host turns its running command into a job", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.call("prompt", { message: bash(`echo first; touch started; ${untilFile("go")}; echo second`) });
    await rpc.until((frame) => frame.type === "tool_execution_update");
    expect(await rpc.call("background_tool_call", { toolCallId: "none" })).toMatchObject({ code: "not_found" });
    expect((await rpc.call("background_tool_call")).data).toEqual({ jobIds: ["bg_1"] });
    await until(rpc, "prompt_result");
    expect(lastResult(rpc.frames)).toMatch(/^first\n\nRunning in the background as bg_1\./);
    writeFileSync(join(on.place.cwd, "go"), "");
    await until(rpc, "session_settled");
    expect(results(rpc.frames)[0]?.message.content).toContain("<output>\nfirst\nsecond\n</output>");
  });

  test("keeps working when a long command becomes a job automatically", async () => {
    using on = await stage([
      "--set",
      "bash.autoBackground.enabled=true",
      "--set",
      "bash.autoBackground.thresholdMs=50",
    ]);
    await using rpc = await on.start();
    await rpc.prompt(bash(untilFile("go")));
    expect(lastResult(rpc.frames)).toContain("Running in the background as bg_1.");
    writeFileSync(join(on.place.cwd, "go"), "");
    await until(rpc, "session_settled");
  });
});

describe("an abort", () => {
  test("leaves jobs running, and their results wait for the next prompt", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash(untilFile("go"), { async: true }));
    await rpc.call("abort");
    expect((await rpc.call("get_state")).data).toMatchObject({ isSettled: true });
    writeFileSync(join(on.place.cwd, "go"), "");
    await until(rpc, "async_job_end");
    await rpc.call("ping");
    expect(results(rpc.frames)).toEqual([]);
    await rpc.prompt("help");
    expect(results(rpc.frames)).toHaveLength(1);
    const asked = ofType(rpc.frames, "message_end").filter(({ message }) => ["custom", "user"].includes(message.role));
    expect(asked.slice(-2).map(({ message }) => message.role)).toEqual(["custom", "user"]);
  });

  test("with scope all cancels them", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash("sleep 60", { async: true }));
    await rpc.call("abort", { scope: "all" });
    expect((await rpc.call("get_async_jobs", { all: true })).data.jobs).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("jobs and sessions", () => {
  test("switching sessions ends jobs, and the new session never receives their results", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash("sleep 60; touch late", { async: true }));
    await rpc.call("new_session");
    expect(ofType(rpc.frames, "async_job_end")).toMatchObject([{ job: { status: "cancelled" } }]);
    expect((await rpc.call("get_async_jobs", { all: true })).data).toEqual({ jobs: [] });
    await rpc.prompt("help");
    expect(results(rpc.frames)).toEqual([]);
  });

  test("after kill -9 the next process reports each lost job once, and no child process is left", async () => {
    using on = await stage();
    const rpc = await on.start();
    await rpc.prompt(bash(`echo $$ > pid; ${untilFile("never")}`, { async: true }));
    while (!existsSync(join(on.place.cwd, "pid"))) await Bun.sleep(10);
    await rpc.kill("SIGKILL");
    await rpc[Symbol.asyncDispose]();
    const pid = Number(readFileSync(join(on.place.cwd, "pid"), "utf8"));
    for (let tries = 0; existsSync(`/proc/${pid}`) && tries < 500; tries += 1) await Bun.sleep(20);
    expect(existsSync(`/proc/${pid}`)).toBe(false);

    const [file] = sessionFiles(on.place.sessionDir);
    await using next = await on.start(["--session", file as string]);
    await next.prompt("help");
    expect(results(next.frames)).toMatchObject([
      { message: { details: { jobs: [{ jobId: "bg_1", status: "aborted", abortReason: "engine ended" }] } } },
    ]);
    await next.prompt(bash("true", { async: true }));
    expect(ofType(next.frames, "async_job_start")).toMatchObject([{ job: { id: "bg_2" } }]);
    while ((await next.call("get_state", { brief: true })).data.hasPendingAsyncWork) await Bun.sleep(10);
    expect(results(next.frames)).toHaveLength(2);
  });

  test("the end of input cancels and records jobs, with exit code 0", async () => {
    using on = await stage();
    await using rpc = await on.start();
    await rpc.prompt(bash(`echo $$ > pid; ${untilFile("never")}`, { async: true }));
    while (!existsSync(join(on.place.cwd, "pid"))) await Bun.sleep(10);
    expect(await rpc.end()).toBe(0);
    const pid = readFileSync(join(on.place.cwd, "pid"), "utf8").trim();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    const [file] = sessionFiles(on.place.sessionDir);
    expect(readFileSync(file as string, "utf8")).toContain('"event":"end","jobId":"bg_1","status":"cancelled"');
  });
});

describe("-p", () => {
  test("waits for the result, and prints the model's answer to it", async () => {
    using place = machine();
    const flags = [...OFFLINE, "--set", "async.enabled=true"];
    const { code, stdout } = await runProgram([...flags, "-p", bash("sleep 0.2; exit 4", { async: true })], place);
    expect(stdout).toContain("Background job bg_1 has ended: exit code 4");
    expect(code).toBe(0);
  });

  test("cancels jobs that do not finish in time, names them and exits with 1", async () => {
    using place = machine();
    const flags = [...OFFLINE, "--set", "async.enabled=true", "--set", "async.printWaitMs=100"];
    const { code, stderr } = await runProgram([...flags, "-p", bash("sleep 60", { async: true })], place);
    expect(stderr).toContain("cancelled after 0.1 s without a result (async.printWaitMs): bg_1 (running): sleep 60");
    expect(code).toBe(1);
  });
});

test("omits the events and fields in the pi dialect", async () => {
  using place = machine();
  await using rpc = await startRpc([...OFFLINE, "--set", "async.enabled=true"], { ...place, dialect: "pi" });
  await rpc.call("prompt", { message: bash("sleep 0.2", { async: true }) });
  const end = await until(rpc, "agent_end");
  expect(end).not.toHaveProperty("awaitingAsyncWork");
  await rpc.until((frame) => frame.type === "message_end" && frame.message.customType === "async-result");
  await until(rpc, "agent_settled");
  expect(rpc.frames.filter(({ type }) => String(type).startsWith("async_job"))).toEqual([]);
});
