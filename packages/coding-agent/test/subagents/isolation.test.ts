import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateAgentSessionOptions } from "../../src/sdk/options.ts";
import { git } from "../support/examples/git.ts";
import { freshPlace, type Place } from "../support/session/test-session.ts";
import { type Answer, startFamily, task, taskResult } from "../support/subagents/family.ts";
import { editRecord } from "../support/worktrees/checkout.ts";

/** A repository with a committed file and an uncommitted one. */
async function freshCheckout(): Promise<Place> {
  const place = freshPlace({ contextWindow: 200_000 });
  await git(place.cwd, "init", "--quiet");
  writeFileSync(join(place.cwd, "a.txt"), "one\n");
  await git(place.cwd, "add", ".");
  await git(place.cwd, "commit", "--quiet", "-m", "first");
  writeFileSync(join(place.cwd, "b.txt"), "uncommitted\n");
  return place;
}

const write = (path: string, content: string) => ({ call: "write", args: { path, content } });
const bash = (command: string) => ({ call: "bash", args: { command } });

/** The parent starts one isolated subagent, which makes the calls; then it makes its own. */
function delegating(
  ofChild: readonly ReturnType<typeof write | typeof bash>[],
  ofParent: readonly object[] = [],
  fields: object = { isolation: "worktree" },
): Answer {
  return ({ task: text, turn }) => {
    if (text !== "Go") return turn < ofChild.length ? [ofChild[turn]!] : [{ text: "finished" }];
    if (turn === 0) return [task({ tasks: [{ task: "work", name: "worker", ...fields }] })];
    return [(ofParent[turn - 1] as never) ?? { text: "done" }];
  };
}

const resolve = (action: "apply" | "discard") => ({ call: "resolve", args: { action, reason: "checked" } });

function start(place: Place, answer: Answer, options: Partial<CreateAgentSessionOptions> = {}) {
  return startFamily(answer, { place, ...options });
}

const left = ({ home }: Place) =>
  ["worktrees", "worktree-records"].flatMap((name) =>
    existsSync(join(home, name)) ? readdirSync(join(home, name)) : [],
  );

describe("a subagent in a worktree", () => {
  test("works on a copy, and its changes reach the checkout only when they are applied", async () => {
    const place = await freshCheckout();
    const seen: string[] = [];
    const answer = delegating(
      [bash("cat a.txt b.txt; git status --porcelain"), write("a.txt", "two\n"), bash("git commit -qam two && pwd")],
      [resolve("apply")],
    );
    const { session, events } = await start(place, (asked) => {
      if (asked.task !== "Go") seen.push(...asked.results);
      if (asked.task === "Go" && asked.turn === 1) expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n");
      return answer(asked);
    });
    await session.prompt("Go");
    const { content, details } = taskResult(session.messages);
    const [result] = details.results;
    expect(seen[0]).toContain("one\nuncommitted\n?? b.txt");
    expect(seen[2]).toContain(join(place.home, "worktrees/worker-"));
    expect(result).toMatchObject({
      status: "completed",
      filesChanged: [{ path: "a.txt", status: "modified", added: 1, removed: 1 }],
    });
    expect(JSON.stringify(content)).toContain("Changed files: a.txt (modified, +1 -1)");
    expect(readFileSync(result!.patchPath!, "utf8")).toContain("-one\n+two\n");
    const added = events.find((event) => event.type === "pending_action_added");
    expect(added).toMatchObject({
      action: {
        sourceToolName: "task",
        details: { subagentId: "worker", files: ["a.txt"], diff: expect.stringContaining("+two") },
        changes: [{ path: "a.txt", hunks: [{ lines: ["-one", "+two"] }] }],
      },
    });
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("two\n");
    expect(await git(place.cwd, "log", "--format=%s")).toBe("first\n");
    expect(left(place)).toEqual([]);
    await session.dispose();
  });

  test("leaves nothing behind if it changes nothing, and its checkout if it is discarded", async () => {
    const place = await freshCheckout();
    const quiet = await start(place, delegating([bash("true")]));
    await quiet.session.prompt("Go");
    expect(taskResult(quiet.session.messages).details.results[0]).not.toHaveProperty("patchPath");
    expect(left(place)).toEqual([]);
    await quiet.session.dispose();
    const { session } = await start(place, delegating([write("a.txt", "two\n")], [resolve("discard")]));
    await session.prompt("Go");
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n");
    expect(left(place)).toEqual([]);
    await session.dispose();
  });

  test("keeps patch and worktree after a conflict, which leaves the preview pending", async () => {
    const place = await freshCheckout();
    const { session, events } = await start(
      place,
      delegating([write("a.txt", "two\n")], [write("a.txt", "three\n"), resolve("apply"), resolve("discard")]),
    );
    await session.prompt("Go");
    const outcomes = session.messages.flatMap((message) =>
      message.role === "toolResult" && message.toolName === "resolve" ? [message.isError] : [],
    );
    expect(outcomes).toEqual([true, false]);
    expect(events.filter(({ type }) => type === "pending_action_resolved")).toHaveLength(1);
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("three\n");
    expect(existsSync(taskResult(session.messages).details.results[0]!.patchPath!)).toBe(true);
    expect(left(place)).toHaveLength(2);
    await session.dispose();
  });

  test("may write there, and not in the checkout of its session", async () => {
    const place = await freshCheckout();
    const outside = join(place.cwd, "outside.txt");
    const { session, requests } = await start(place, delegating([write("inside.txt", "x"), write(outside, "x")]), {
      settings: { "permissions.mode": "workspace" },
    });
    await session.prompt("Go");
    expect(existsSync(outside)).toBe(false);
    const [result] = taskResult(session.messages).details.results;
    expect(result?.filesChanged).toMatchObject([{ path: "inside.txt" }]);
    expect(JSON.stringify(requests.map(({ context }) => context.messages))).toContain("was not run");
    await session.dispose();
  });

  test.each([
    ["the setting", { settings: { "task.isolation.mode": "worktree", "permissions.mode": "full" } }, {}],
    [
      "the definition of its agent",
      { agents: [{ name: "own", description: "d", prompt: "", isolation: "worktree" }] },
      { agent: "own" },
    ],
  ] as const)("is one because of %s", async (_, options, fields) => {
    const place = await freshCheckout();
    const { session } = await start(place, delegating([write("a.txt", "two\n")], [], fields), options as object);
    await session.prompt("Go");
    expect(taskResult(session.messages).details.results[0]?.patchPath).toBeString();
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n");
    await session.dispose();
  });

  test("is not started without a repository; its siblings are", async () => {
    const place = freshPlace({ contextWindow: 200_000 });
    const { session } = await start(place, ({ task: text, turn }) =>
      text === "Go" && turn === 0
        ? [task({ tasks: [{ task: "work", isolation: "worktree" }, { task: "look" }] })]
        : [{ text: "ok" }],
    );
    await session.prompt("Go");
    expect(taskResult(session.messages).details.results).toMatchObject([
      { status: "failed", requests: 0, error: expect.stringContaining("is not in a git repository") },
      { status: "completed" },
    ]);
    expect(left(place)).toEqual([]);
    await session.dispose();
  });

  test("cannot start another one in a worktree, whose changes would have no checkout", async () => {
    const place = await freshCheckout();
    const { session } = await start(place, ({ task: text, turn, results }) => {
      if (text === "deeper") return [{ text: "deep" }];
      if (turn === 0) return [task({ tasks: [{ task: text === "Go" ? "work" : "deeper", isolation: "worktree" }] })];
      return [{ text: results.join() }];
    });
    await session.prompt("Go");
    expect(taskResult(session.messages).details.results[0]?.output).toContain('isolation "worktree" is not available');
    await session.dispose();
  });

  test("stages for the session of the host what a subagent of a subagent has changed", async () => {
    const place = await freshCheckout();
    const { session } = await start(place, ({ task: text, turn }) => {
      if (text === "deeper") return turn === 0 ? [write("a.txt", "deep\n")] : [{ text: "deep" }];
      if (text === "Go" && turn === 1) return [resolve("apply")];
      if (turn > 0) return [{ text: "done" }];
      return [task({ tasks: [text === "Go" ? { task: "work" } : { task: "deeper", isolation: "worktree" }] })];
    });
    await session.prompt("Go");
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("deep\n");
    await session.dispose();
  });
});

test("a session that is opened again after pintle was killed reports where the changes are", async () => {
  const place = await freshCheckout();
  const first = await start(
    place,
    delegating([write("a.txt", "two\n")], [{ text: "later" }, { text: "later" }, { text: "later" }]),
  );
  await first.session.prompt("Go");
  const { sessionFile } = first.session;
  const [name = ""] = readdirSync(join(place.home, "worktree-records"));
  editRecord(place, name, { owner: { pid: 1, host: "other", startedAt: "earlier" } });
  const copy = join(place.home, "copy");
  mkdirSync(copy);
  // Closing the session discards the preview, which a killed process does not.
  const kept = { worktree: join(place.home, "worktrees", name), record: join(place.home, "worktree-records", name) };
  await Bun.$`cp -r ${kept.worktree} ${copy}/worktree && cp -r ${kept.record} ${copy}/record`.quiet();
  await first.session.dispose();
  await Bun.$`mv ${copy}/worktree ${kept.worktree} && mv ${copy}/record ${kept.record}`.quiet();

  const second = await start(place, () => [{ text: "I see" }], { session: { open: sessionFile! } });
  await second.session.prompt("What happened?");
  const report = second.session.messages.find(
    (message) => message.role === "custom" && message.customType === "left-worktrees",
  );
  expect(JSON.stringify(report)).toContain(`${name}.patch`);
  expect(second.events.filter((event) => event.type === "notice" && event.message.includes("worker"))).toHaveLength(1);
  expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toBe("one\n");
  await second.session.dispose();
});
