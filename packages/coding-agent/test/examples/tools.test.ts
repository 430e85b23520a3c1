import { describe, expect, test } from "bun:test";
import { sendStatus, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { startExample } from "../support/examples/start-example.ts";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Examples that provide tools or change what tools do.

test("redact.ts hides the variables that the flag names", async () => {
  await using run = await startExample("redact.ts", { args: ["--hide=API_TOKEN"], env: { API_TOKEN: "s3cr3t" } });
  await run.rpc.prompt("run echo s3cr3t");
  expect(run.resultOf("bash")).toEqual([false, "[hidden]\n"]);
  await run.rpc.end();
  expect(await run.rpc.stderr()).not.toContain("--hide");
});

test("word-count.ts reports progress and returns the complete result", async () => {
  const files = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`texts/${n}.md`, "two words"]));
  await using run = await startExample("word-count.ts", { files: { ...files, "texts/no.bin": "not counted" } });
  await run.rpc.prompt('call count_words {"folder":"texts"}');
  expect(run.resultOf("count_words")).toEqual([false, "50 words in 25 files"]);
  // Updates that are superseded before they are written may be merged; the last one is always sent.
  const updates = run.rpc.frames.filter(({ type }) => type === "tool_execution_update");
  expect(updates.at(-1)?.partialResult).toMatchObject({
    content: [{ type: "text", text: "20 of 25 files" }],
    details: { files: 20, words: 40 },
  });
});

describe("http-tool.ts", () => {
  const rows: [body: string, status: number, isError: boolean, text: string][] = [
    [
      '[{"id":1,"title":"It crashes"},{"id":"x"},{"id":2,"title":"Crash again"}]',
      200,
      false,
      "#1 It crashes\n#2 Crash again",
    ],
    ["[]", 200, false, "No issue matches."],
    ["{}", 200, true, "The issue tracker did not return a list"],
    ["secret details", 503, true, "The issue tracker answered 503"],
    [`["${"x".repeat(1_100_000)}"]`, 200, true, "The answer of the issue tracker is too long"],
  ];
  test.each(rows)("%.40s, %d", async (body, status, isError, text) => {
    await using service = await startLoopbackServer(sendStatus(status, body));
    const env = { ISSUES_URL: service.url, ISSUES_TOKEN: "t" };
    await using run = await startExample("http-tool.ts", { env });
    await run.rpc.prompt('call find_issues {"words":"a crash&x=1"}');
    expect(run.resultOf("find_issues")).toEqual([isError, text]);
    const [{ path, headers } = { path: "", headers: {} }] = service.requests;
    expect([path, headers.authorization]).toEqual(["/issues?q=a+crash%26x%3D1", "Bearer t"]);
  });

  test("reports a missing address", async () => {
    await using run = await startExample("http-tool.ts");
    await run.rpc.prompt('call find_issues {"words":"x"}');
    expect(run.resultOf("find_issues")).toEqual([true, "ISSUES_URL is not set"]);
  });
});

describe("structured-answer.ts", () => {
  const schema = {
    type: "object",
    properties: { files: { type: "array", items: { type: "string" } } },
    required: ["files"],
  };

  test("ends the run with a valid answer, and returns an invalid one to the model", async () => {
    await using run = await startExample("structured-answer.ts", {
      args: ["--answer-schema=answer.json"],
      files: { "answer.json": JSON.stringify(schema) },
      answers: [
        callsTools({ name: "give_answer", args: { files: "a" } }),
        callsTools({ name: "give_answer", args: { files: ["a"] } }),
        says("never asked"),
      ],
    });
    await run.rpc.prompt("which files?");
    const ends = run.rpc.frames.filter(({ type }) => type === "tool_execution_end");
    expect(ends.map(({ isError }) => isError)).toEqual([true, false]);
    expect(ends[1]?.result.details).toEqual({ files: ["a"] });
    const offered = run.requests[0]?.body.tools.find((tool: Frame) => tool.function.name === "give_answer");
    expect([run.requests.length, offered.function.parameters.required]).toEqual([2, ["files"]]);
  });

  test("uses its own schema by default", async () => {
    await using run = await startExample("structured-answer.ts");
    await run.rpc.prompt('call give_answer {"sentiment":"good","score":0.9}');
    expect(run.resultOf("give_answer")).toEqual([false, '{"sentiment":"good","score":0.9}']);
    await run.rpc.prompt('call give_answer {"sentiment":"so so","score":0.9}');
    expect(run.resultOf("give_answer")[0]).toBe(true);
  });
});

test("bash-elsewhere.ts runs the model's commands and the user's through a program", async () => {
  await using run = await startExample("bash-elsewhere.ts", { args: ["--through", "env PLACE=box sh -c"] });
  await run.rpc.prompt("run echo it\\'s in $PLACE");
  expect(run.resultOf("bash")).toEqual([false, "it's in box\n"]);
  await run.rpc.prompt("run exit 3");
  expect(run.resultOf("bash")[1]).toContain("3");
  const { output, exitCode } = (await run.rpc.call("bash", { command: "echo $PLACE" })).data;
  expect([output, exitCode]).toEqual(["box\n", 0]);
});
