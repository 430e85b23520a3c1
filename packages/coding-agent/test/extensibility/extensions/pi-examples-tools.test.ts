import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { textOf } from "../../../../agent/test/support/tools.ts";
import { BASH_LIMITS, toBashResult } from "../../../../exec/src/processes/shell/bash-result.ts";
import { byExtension } from "../../../src/tools/bash/run-command.ts";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples, processPlace } from "../../support/extensibility/extensions/pi-examples.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { repository } from "../../support/program.ts";
import { nextEvent, show } from "../../support/session/test-session.ts";
import { where } from "../../support/where.ts";

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples that add tools", () => {
  test("hello", async () => {
    await using harness = await startExtensions([[{ call: "hello", args: { name: "Ada" } }], [{ text: "done" }]], {
      files: [example("hello")],
    });
    await harness.prompt("greet Ada");
    expect(show(harness.session.messages)).toContain("toolResult: Hello, Ada!");
  });

  test("structured-output ends the run", async () => {
    const args = { headline: "H", summary: "S", actionItems: ["a"] };
    await using harness = await startExtensions([[{ call: "structured_output", args }]], {
      files: [example("structured-output")],
    });
    await harness.prompt("go");
    expect(show(harness.session.messages).at(-1)).toBe("toolResult: Saved structured output: H");
    expect(harness.requests).toHaveLength(1);
  });

  test("dynamic-tools registers at the start of the session and from a command", async () => {
    await using harness = await startExtensions(
      [
        [{ call: "echo_session", args: { message: "m" } }],
        [{ call: "mine", args: { message: "n" } }],
        [{ text: "ok" }],
      ],
      { files: [example("dynamic-tools")] },
    );
    await harness.prompt("/add-echo-tool mine");
    await harness.prompt("go");
    expect(show(harness.session.messages).filter((line) => line.startsWith("toolResult"))).toEqual([
      "toolResult: [session] m",
      "toolResult: [mine] n",
    ]);
  });

  test("shutdown-command shuts down from its tool and its command", async () => {
    await using harness = await startExtensions([], { files: [example("shutdown-command")] });
    expect(textOf(await harness.call("finish_and_exit"))).toContain("Shutdown requested");
    expect(harness.host.isShutDown).toBe(true);
    harness.host.isShutDown = false;
    await harness.prompt("/quit");
    expect(harness.host.isShutDown).toBe(true);
  });

  test("reload-runtime reloads everything; its tool does so after the run", async () => {
    await using harness = await startExtensions([[{ call: "reload_runtime" }], [{ text: "done" }]], {
      files: [example("reload-runtime")],
    });
    let reloads = 0;
    const reload = harness.host.onReload;
    const { promise: reloaded, resolve } = Promise.withResolvers<void>();
    harness.host.onReload = async () => {
      expect(harness.session.isStreaming).toBe(false);
      reloads += 1;
      await reload();
      resolve();
    };
    await harness.prompt("/reload-runtime");
    expect(reloads).toBe(1);
    await Promise.all([harness.prompt("reload yourself"), reloaded]);
    expect(reloads).toBe(2);
    expect(harness.host.faults).toEqual([]);
  });

  test("tool-override replaces the built-in read tool and refuses secrets", async () => {
    using place = processPlace();
    const read = (path: string) => ({ call: "read", args: { path } });
    await using harness = await startExtensions([[read("a.txt"), read(".env")], [{ text: "ok" }]], {
      files: [example("tool-override")],
      place,
    });
    for (const name of ["a.txt", ".env"]) writeFileSync(join(place.cwd, name), `content of ${name}`);
    await harness.prompt("go");
    expect(show(harness.session.messages).slice(2, 4)).toEqual([
      "toolResult: content of a.txt",
      expect.stringContaining("Access denied"),
    ]);
    expect(readFileSync(join(place.home, "read-access.log"), "utf8")).toContain("BLOCKED");
  });

  test("bash-spawn-hook changes the command that runs", async () => {
    using place = processPlace();
    await using harness = await startExtensions([], { files: [example("bash-spawn-hook")], place });
    expect(textOf(await harness.call("bash", { command: 'echo "hook=$PI_SPAWN_HOOK in $PWD"' }))).toContain(
      `hook=1 in ${place.cwd}`,
    );
  });

  test("built-in-tool-renderer wraps the built-in tools", async () => {
    using place = processPlace();
    await using harness = await startExtensions([], { files: [example("built-in-tool-renderer")], place });
    await harness.call("write", { path: "b.txt", content: "one two" });
    await harness.call("edit", { path: "b.txt", edits: [{ oldText: "two", newText: "three" }] });
    expect(textOf(await harness.call("read", { path: "b.txt" }))).toContain("one three");
    expect(textOf(await harness.call("bash", { command: "cat b.txt" }))).toContain("one three");
  });

  test("minimal-mode wraps all seven tools in the directory of the session", async () => {
    using place = processPlace();
    await using harness = await startExtensions([], { files: [example("minimal-mode")], place });
    mkdirSync(join(place.cwd, "sub"));
    writeFileSync(join(place.cwd, "sub/needle.txt"), "a needle");
    expect(textOf(await harness.call("ls", { path: "sub" }))).toContain("needle.txt");
    expect(textOf(await harness.call("find", { pattern: "*.txt" }))).toContain("needle.txt");
    expect(textOf(await harness.call("grep", { pattern: "needle" }))).toContain("a needle");
    const names = harness.host.extensionTools.map(({ tool }) => tool.name).sort();
    expect(names).toEqual(["bash", "edit", "find", "grep", "ls", "read", "write"]);
  });

  test("truncated-tool truncates the result and stores the full output", async () => {
    using place = processPlace();
    await using harness = await startExtensions([], { files: [example("truncated-tool")], place });
    const bin = join(place.cwd, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "rg"), "#!/bin/sh\nseq 1 5000\n", { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path}`;
    const result = await harness.call("rg", { pattern: "x" });
    process.env.PATH = path;
    expect(textOf(result)).toContain("[Output truncated: showing 2000 of 5000 lines");
    const { fullOutputPath } = result.details as { fullOutputPath: string };
    expect(readFileSync(fullOutputPath, "utf8").split("\n").length).toBe(5001);
    rmSync(dirname(fullOutputPath), { recursive: true });
  });

  test("ssh runs tools and the user's commands on another machine", async () => {
    using place = processPlace();
    // Simulates another machine with another directory of this one.
    const bin = join(place.cwd, "bin");
    const remote = join(place.home, "remote");
    for (const folder of [bin, remote]) mkdirSync(folder);
    writeFileSync(join(bin, "ssh"), '#!/bin/sh\nshift\nexec sh -c "$*"\n', { mode: 0o755 });
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path}`;
    await using harness = await startExtensions([[{ text: "ok" }]], {
      files: [example("ssh")],
      place,
      flags: new Map([["ssh", `me@there:${remote}`]]),
      ui: recordingUi(),
    });
    await harness.call("write", { path: "far.txt", content: "far away" });
    await harness.call("edit", { path: "far.txt", edits: [{ oldText: "away", newText: "off" }] });
    expect(readFileSync(join(remote, "far.txt"), "utf8")).toBe("far off");
    expect(textOf(await harness.call("read", { path: "far.txt" }))).toBe("far off");
    expect(textOf(await harness.call("bash", { command: "pwd" }))).toContain(remote);
    const own = await harness.runner.userBash({ command: "pwd", excludeFromContext: false, cwd: place.cwd });
    if (!own || !("operations" in own)) throw new Error("the command of the user stays here");
    const ran = await byExtension(own.operations)({ command: "pwd", cwd: place.cwd, limits: BASH_LIMITS });
    process.env.PATH = path;
    expect(toBashResult(ran)).toMatchObject({ output: `${remote}\n`, exitCode: 0 });
    await harness.prompt("where are you?");
    expect(harness.requests[0]!.context.systemPrompt).toContain(`${remote} (via SSH: me@there)`);
  });

  test("plan-mode restricts tools and commands, and executes the approved plan", async () => {
    await using harness = await startExtensions(
      [
        [{ call: "bash", args: { command: "rm -rf ." } }],
        [{ text: "Plan:\n1. Look at the files\n2. Change the greeting" }],
        [{ text: "[DONE:1] [DONE:2]" }],
      ],
      { files: [example("plan-mode")], ui: recordingUi({ select: (_title, [first]) => String(first) }) },
    );
    await harness.prompt("/plan");
    expect(harness.host.activeTools().sort()).toEqual(["bash", "find", "grep", "ls", "read"]);
    expect(harness.host.warnings).toEqual([expect.stringContaining("questionnaire")]);
    await harness.prompt("make a plan");
    if (harness.session.isStreaming) await nextEvent(harness.session, "agent_settled");
    await harness.runner.observed();
    const lines = show(harness.session.messages);
    expect(lines.find((line) => line.startsWith("toolResult(error)"))).toContain("Plan mode: command blocked");
    expect(harness.requests[0]!.context.messages.map(({ content }) => JSON.stringify(content)).join()).toContain(
      "[PLAN MODE ACTIVE]",
    );
    expect(lines.some((line) => line.startsWith("custom: **Plan Complete!**"))).toBe(true);
    expect(harness.session.manager.entries()).toContainEqual(
      expect.objectContaining({ type: "custom", customType: "plan-mode" }),
    );
  });

  test("subagent runs another pintle and returns its answer", async () => {
    using place = processPlace();
    await using harness = await startExtensions([], { files: [example("subagent")], place });
    mkdirSync(join(place.home, "agents"));
    const agent = "---\nname: scout\ndescription: looks around\nmodel: pintle/offline\n---\nBe a scout.";
    writeFileSync(join(place.home, "agents/scout.md"), agent);
    const script = process.argv[1]!;
    process.argv[1] = join(repository, "packages/coding-agent/src/cli.ts");
    const result = await harness.call("subagent", { agent: "scout", task: "hello" });
    process.argv[1] = script;
    const { results } = result.details as { results: { exitCode: number; stopReason?: string; stderr: string }[] };
    expect(results[0]).toMatchObject({ exitCode: 0, stopReason: "stop" });
    expect(textOf(result)).not.toBe("");
  });
});
