import { expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples } from "../../support/extensibility/extensions/pi-examples.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { freshPlace, type Place, show } from "../../support/session/test-session.ts";
import { where } from "../../support/where.ts";

type MessageEntry = { message?: { role: string } };

const calling = (call: string, args: Record<string, unknown>): ScriptedAnswer[] => [
  [{ call, args }],
  [{ text: "done" }],
];
const results = (messages: Parameters<typeof show>[0]) =>
  show(messages).filter((line) => line.startsWith("toolResult"));

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  return Bun.spawnSync(["git", ...identity, ...args], { cwd }).stdout.toString();
}

/** A repository with one commit; commits need a name. */
function repositoryPlace(): Place {
  const place = freshPlace();
  git(place.cwd, "init", "-q");
  git(place.cwd, "config", "user.name", "t");
  git(place.cwd, "config", "user.email", "t@example.org");
  writeFileSync(join(place.cwd, "a.txt"), "one\n");
  git(place.cwd, "add", "-A");
  git(place.cwd, "commit", "-qm", "first");
  return place;
}

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's examples that block calls", () => {
  test("permission-gate denies when there is no user to ask, and otherwise follows the user's answer", async () => {
    const answers = () => calling("bash", { command: "rm -rf gone; echo ran" });
    const files = [example("permission-gate")];
    await using alone = await startExtensions(answers(), { files });
    await alone.prompt("go");
    expect(results(alone.session.messages)).toEqual([
      "toolResult(error): Dangerous command blocked (no UI for confirmation)",
    ]);
    await using refused = await startExtensions(answers(), { files, ui: recordingUi({ select: () => "No" }) });
    await refused.prompt("go");
    expect(results(refused.session.messages)).toEqual(["toolResult(error): Blocked by user"]);
    await using allowed = await startExtensions(answers(), { files, ui: recordingUi({ select: () => "Yes" }) });
    await allowed.prompt("go");
    expect(results(allowed.session.messages)).toEqual([expect.stringContaining("ran")]);
  });

  test("protected-paths blocks writes to the file", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions(calling("write", { path: ".env", content: "KEY=1" }), {
      files: [example("protected-paths")],
      ui,
    });
    await harness.prompt("go");
    expect(results(harness.session.messages)).toEqual(['toolResult(error): Path ".env" is protected']);
    expect(existsSync(join(harness.cwd, ".env"))).toBe(false);
    expect(ui.shown).toEqual(["notify warning Blocked write to protected path: .env"]);
  });

  test("confirm-destructive asks before a new session and before a fork", async () => {
    let answer = false;
    const ui = recordingUi({ confirm: () => answer, select: () => "No, stay in current session" });
    await using harness = await startExtensions([[{ text: "hi" }]], { files: [example("confirm-destructive")], ui });
    await harness.prompt("hello");
    const before = harness.session.sessionId;
    expect(await harness.session.changes.newSession()).toBe(true);
    const [entry] = harness.session.manager.userMessages();
    expect(await harness.session.changes.branch(entry!.entryId)).toMatchObject({ cancelled: true });
    expect(harness.session.sessionId).toBe(before);
    answer = true;
    expect(await harness.session.changes.newSession()).toBe(false);
    expect(harness.session.sessionId).not.toBe(before);
  });

  test("dirty-repo-guard blocks leaving a session with uncommitted changes", async () => {
    const place = repositoryPlace();
    await using harness = await startExtensions([], { files: [example("dirty-repo-guard")], place });
    expect(await harness.session.changes.newSession()).toBe(false);
    writeFileSync(join(place.cwd, "a.txt"), "two\n");
    expect(await harness.session.changes.newSession()).toBe(true);
  });

  test("git-checkpoint makes a checkpoint for each turn and offers it at a fork", async () => {
    const place = repositoryPlace();
    const ui = recordingUi({ select: () => "Yes, restore code to that point" });
    writeFileSync(join(place.cwd, "a.txt"), "changed before the turn\n");
    // A checkpoint is taken when a turn begins, for the entry with the previous call; the end of the run discards all of
    // them.
    const forkAtCall = async () => {
      await harness.runner.observed();
      const { manager } = harness.session;
      const call = manager.entries().find((entry) => (entry as MessageEntry).message?.role === "assistant");
      await harness.runner.beforeFork({ entryId: call!.id, position: "before" });
    };
    await using harness = await startExtensions(
      [[{ call: "read", args: { path: "a.txt" } }], () => [{ wait: forkAtCall() }, { text: "done" }]],
      { files: [example("git-checkpoint")], place, ui },
    );
    await harness.prompt("look");
    expect(ui.shown).toContain("select Restore code state?");
  });

  test("auto-commit-on-exit commits the remaining changes", async () => {
    const place = repositoryPlace();
    const harness = await startExtensions([[{ text: "Changed the greeting" }]], {
      files: [example("auto-commit-on-exit")],
      place,
    });
    await harness.prompt("go");
    writeFileSync(join(place.cwd, "a.txt"), "three\n");
    await harness[Symbol.asyncDispose]();
    expect(git(place.cwd, "log", "-1", "--format=%s").trim()).toBe("[pi] Changed the greeting");
  });

  test("input-transform rewrites a message or answers it itself", async () => {
    const ui = recordingUi();
    await using harness = await startExtensions([[{ text: "42" }]], { files: [example("input-transform")], ui });
    await harness.prompt("ping");
    expect(harness.requests).toHaveLength(0);
    expect(ui.shown).toEqual(["notify info pong"]);
    await harness.prompt("?quick what is 6 x 7");
    expect(show(harness.session.messages)[0]).toBe("user: Respond briefly in 1-2 sentences: what is 6 x 7");
  });

  test("inline-bash puts the output of commands into the prompt", async () => {
    await using harness = await startExtensions([[{ text: "ok" }]], { files: [example("inline-bash")] });
    await harness.prompt("The answer is !{echo $((6*7))}.");
    expect(show(harness.session.messages)[0]).toBe("user: The answer is 42.");
  });

  test("provider-payload sees the request and the response headers", async () => {
    // It writes to `.pi` in the directory it was loaded from.
    const place = freshPlace();
    mkdirSync(join(place.cwd, ".pi"));
    const before = process.cwd();
    process.chdir(place.cwd);
    await using harness = await startExtensions([], { files: [example("provider-payload")], place });
    process.chdir(before);
    const fetch = harness.runner.wrapFetch(async (_url, init) => new Response(init.body, { headers: { "X-Id": "7" } }));
    const response = await fetch("http://localhost", { body: JSON.stringify({ model: "m" }) });
    await harness.runner.observed();
    expect(await response.json()).toEqual({ model: "m" });
    const log = await Bun.file(join(place.cwd, ".pi/provider-payload.log")).text();
    expect(log).toContain('"model": "m"');
    expect(log).toContain('"x-id":"7"');
  });
});
