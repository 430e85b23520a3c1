import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { GIT_USER, git } from "../support/examples/git.ts";
import { type ExampleSituation, startExample } from "../support/examples/start-example.ts";
import { says } from "../support/scenarios/chat-server.ts";

// Examples that work with a repository.

/** What pintle keeps in its home must not be among the changes, and here the home is the project. */
const repository: ExampleSituation = {
  files: { ".gitignore": ".pintle\n" },
  env: GIT_USER,
  prepare: ({ cwd }) => git(cwd, "init"),
};

test("git-status.ts shows the model what changed, and stores nothing of it", async () => {
  await using run = await startExample("git-status.ts", { ...repository, answers: [says("ok")] });
  writeFileSync(run.file("new.txt"), "x");
  await run.rpc.prompt("hello");
  expect(JSON.stringify(run.requests[0]?.body.messages.at(-1))).toContain("?? new.txt");
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(JSON.stringify(messages)).not.toContain("git-status");
});

test("commit.ts commits with the message it is given, or asks for one", async () => {
  await using run = await startExample("commit.ts", repository);
  const { cwd } = run.place;
  const commit = async (words: string, answers: [method: string, answer: object][]) => {
    writeFileSync(run.file(`${words.length}.txt`), "x");
    run.rpc.send({ type: "prompt", message: `/commit ${words}` });
    for (const [method, answer] of answers) await run.answer(method, answer);
    await run.rpc.until(({ type }) => type === "prompt_result");
    return (await git(cwd, "log", "-1", "--format=%s")).trim();
  };
  expect(await commit("first of all", [["confirm", { confirmed: true }]])).toBe("first of all");
  expect(await commit("not this", [["confirm", { confirmed: false }]])).toBe("first of all");
  const asked: [string, object][] = [
    ["input", { value: "asked" }],
    ["confirm", { confirmed: true }],
  ];
  expect(await commit("", asked)).toBe("asked");
  const done = ['Committed "first of all".', 'Committed "asked".'];
  expect(run.shown("notify").map(({ message }) => message)).toEqual(done);
  await run.command("/commit again");
  rmSync(run.file(".git"), { recursive: true });
  await run.command("/commit again");
  const warnings = ["There is nothing to commit.", "This is not a git repository."];
  expect(run.shown("notify").map(({ message }) => message)).toEqual([...done, ...warnings]);
});
