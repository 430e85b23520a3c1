import { expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { GIT_USER, git } from "../support/examples/git.ts";
import { type ExampleSituation, startExample } from "../support/examples/start-example.ts";
import { says } from "../support/scenarios/chat-server.ts";

// Examples that work with a repository.

/** Files in pintle's home must not be among the changes; here the home is the project. */
const repository: ExampleSituation = {
  files: { ".gitignore": ".pintle\n" },
  env: GIT_USER,
  prepare: ({ cwd }) => git(cwd, "init"),
};

test("git-status.ts shows the model what changed, and stores none of it", async () => {
  await using run = await startExample("git-status.ts", { ...repository, answers: [says("ok")] });
  writeFileSync(run.file("new.txt"), "x");
  await run.rpc.prompt("hello");
  expect(JSON.stringify(run.requests[0]?.body.messages.at(-1))).toContain("?? new.txt");
  const { messages } = (await run.rpc.call("get_messages")).data;
  expect(JSON.stringify(messages)).not.toContain("git-status");
});

test("commit.ts commits with the given message, or asks for one", async () => {
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

test("git-checkpoint.ts restores the files as they were before a prompt", async () => {
  await using run = await startExample("git-checkpoint.ts", {
    ...repository,
    files: { ...repository.files, "kept.txt": "before", "gone.txt": "before" },
  });
  const content = () =>
    Object.fromEntries(
      ["kept.txt", "gone.txt", "new.txt"].map((name) => {
        const path = run.file(name);
        return [name, existsSync(path) ? readFileSync(path, "utf8") : undefined];
      }),
    );
  const before = content();
  await run.command("/undo");
  expect(run.shown("notify").map(({ message }) => message)).toEqual(["There is no checkpoint."]);
  await run.rpc.prompt("run echo changed > kept.txt; rm gone.txt; echo new > new.txt");
  await run.rpc.prompt("run echo again > kept.txt");
  const after = content();
  expect(after).toEqual({ "kept.txt": "again\n", "gone.txt": undefined, "new.txt": "new\n" });
  const undo = async (answer: object) => {
    run.rpc.send({ type: "prompt", message: "/undo" });
    const { options } = await run.answer("select", answer);
    await run.rpc.until(({ type }) => type === "prompt_result");
    return options;
  };
  const [second, first] = await undo({ cancelled: true });
  expect([second, content()]).toEqual(["1. before: run echo again > kept.txt", after]);
  await undo({ value: second });
  expect(content()).toEqual({ ...after, "kept.txt": "changed\n" });
  await undo({ value: first });
  expect(content()).toEqual(before);
  // The user's repository contains none of it.
  expect(await git(run.place.cwd, "status", "--short")).toBe("?? .gitignore\n?? gone.txt\n?? kept.txt\n");
});
