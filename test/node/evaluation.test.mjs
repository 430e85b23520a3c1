// examples/evaluation: tasks, limits, trajectories and their conversion, with the built program.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { dist, root } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";
import { atifErrors } from "./support/atif-rules.mjs";

const place = scratchPath();
const here = join(root, "examples/evaluation");
const env = { PATH: process.env.PATH, HOME: place, PINTLE: join(dist, "pintle") };

/** Resolves with the exit code; a failing example is not an error of the test. */
function evaluate(...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(here, "run.mjs"), ...args], { cwd: place, env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });
}

const json = (...path) => JSON.parse(readFileSync(join(place, ...path), "utf8"));

function makeTask(set, id, prompt, files = {}) {
  const directory = join(place, set, id);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "prompt.md"), prompt);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
}

test("the tasks of the example are solved, and their trajectories convert to valid ATIF", async () => {
  const result = await evaluate(join(here, "tasks"), "--model", "pintle/offline", "--out", "shipped", "--atif");
  assert.deepEqual([result.code, result.stderr], [0, ""], result.stdout);
  assert.match(result.stdout, /2 of 2 tasks solved\n$/);
  const trajectory = json("shipped", "count-the-lines.json");
  const { format, version, outcome, check, toolCalls, usage } = trajectory;
  assert.deepEqual([format, version, outcome, check.passed], ["pintle-trajectory", 1, "completed", true]);
  assert.deepEqual(
    toolCalls.map(({ name, arguments: args, isError }) => [name, args, isError]),
    [["bash", { command: 'grep -c "" notes.txt > count.txt' }, false]],
  );
  assert.deepEqual([usage.modelCalls, trajectory.messages.length], [2, 4]);
  assert.equal(trajectory.limits.sandbox.mode, "workspace-write");
  const atif = json("shipped", "count-the-lines.atif.json");
  assert.deepEqual(atifErrors(atif), []);
  assert.deepEqual(
    atif.steps.map(({ source, tool_calls: calls, observation }) => [
      source,
      calls?.length,
      observation?.results.length,
    ]),
    [
      ["user", undefined, undefined],
      ["agent", 1, 1],
      ["agent", undefined, undefined],
    ],
  );
  assert.ok(!existsSync(join(here, "tasks/count-the-lines/workspace/count.txt")), "the workspace itself is untouched");
});

test("deadline, budget, failed check and a program that dies are outcomes, and every task is reported", async () => {
  makeTask("hard", "late", "run touch begun; sleep 600", { "task.json": JSON.stringify({ deadlineMs: 3000 }) });
  makeTask("hard", "dear", "list then list", { "task.json": '{"budget": "turns=1,reached=stop"}' });
  makeTask("hard", "wrong", "help", { "check.sh": "echo nothing was done; exit 3" });
  const { code, stdout } = await evaluate("hard", "--model", "pintle/offline", "--out", "hard-out", "--jobs", "3");
  assert.equal(code, 1);
  assert.match(stdout, /0 of 3 tasks solved\n$/);
  assert.deepEqual(
    json("hard-out", "summary.json").map(({ task, outcome, passed }) => [task, outcome, passed]),
    [
      ["dear", "budget", null],
      ["late", "deadline", null],
      ["wrong", "completed", false],
    ],
  );
  assert.deepEqual(json("hard-out", "wrong.json").check, { passed: false, exitCode: 3, output: "nothing was done" });
  assert.equal(json("hard-out", "late.json").error, "Not done after 3000 ms");

  const { toAtif } = await import(join(here, "atif.mjs"));
  const { runTask } = await import(join(here, "evaluate.mjs"));
  const { findTasks } = await import(join(here, "task.mjs"));
  const [task] = findTasks(join(place, "hard", "wrong"));
  const crashed = await runTask(task, { command: [process.execPath, "-e", "process.exit(7)", "--"] });
  assert.deepEqual([crashed.outcome, crashed.messages], ["crashed", []]);
  assert.match(crashed.error, /exited with code 7/);
  assert.deepEqual(atifErrors(toAtif(crashed).trajectory), []);
});

test("wrong usage is reported and runs nothing", async () => {
  assert.equal((await evaluate()).code, 2);
  const { code, stderr } = await evaluate("nowhere");
  assert.deepEqual([code, stderr], [2, `${join(realpathSync(place), "nowhere")} does not exist\n`]);
  makeTask("typo", "one", "help", { "task.json": '{"deadline": 5}' });
  assert.match((await evaluate("typo", "--out", "typo-out")).stderr, /task\.json: unknown deadline/);
  assert.ok(!existsSync(join(place, "typo-out")));
});

test("recorded once, replayed without the model, with thinking and an image", async () => {
  makeTask("recorded", "look", "What is in picture.png?");
  mkdirSync(join(place, "recorded/look/workspace"));
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(join(place, "recorded/look/workspace/picture.png"), pixel, "base64");
  const server = await modelServer([
    [
      { reasoning_content: "I should look." },
      { tool_calls: [{ index: 0, id: "call_1", function: { name: "read", arguments: '{"path":"picture.png"}' } }] },
    ],
    [{ content: "A single pixel." }],
  ]);
  mkdirSync(join(place, "home"));
  const models = [{ id: "m", input: ["text", "image"], reasoning: true, contextWindow: 100_000, maxTokens: 1000 }];
  const provider = {
    baseUrl: `http://127.0.0.1:${server.address().port}`,
    api: "openai-completions",
    auth: "none",
    models,
  };
  writeFileSync(join(place, "home/models.json"), JSON.stringify({ providers: { played: provider } }));
  const recordings = join(place, "recordings");
  const first = await evaluate(
    "recorded",
    "--home",
    join(place, "home"),
    "--out",
    "first",
    "--",
    "--record",
    recordings,
  );
  assert.deepEqual([first.code, first.stderr], [0, ""], first.stdout);
  await new Promise((resolve) => server.close(resolve));
  const second = await evaluate("recorded", "--out", "second", "--atif", "--", "--replay", recordings);
  assert.deepEqual([second.code, second.stderr], [0, ""], second.stdout);
  const told = ({ messages }) => messages.map(({ role, content }) => [role, content]);
  assert.deepEqual(told(json("second", "look.json")), told(json("first", "look.json")));
  const atif = json("second", "look.atif.json");
  assert.deepEqual(atifErrors(atif), []);
  const [, look, answer] = atif.steps;
  assert.deepEqual([look.reasoning_content, answer.message], ["I should look.", "A single pixel."]);
  const image = look.observation.results[0].content.find(({ type }) => type === "image");
  assert.equal(image.source.media_type, "image/png");
  assert.deepEqual(readdirSync(join(place, "second", "look.images")), ["1.png"]);
});

/** A vendor's server: each request gets the next answer, as a stream of chunks. */
async function modelServer(answers) {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const deltas = answers.shift() ?? [{ content: "no more answers" }];
      const finish = deltas.some((delta) => delta.tool_calls) ? "tool_calls" : "stop";
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const delta of deltas) response.write(chunk({ delta, finish_reason: null }));
      response.write(chunk({ delta: {}, finish_reason: finish }));
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const chunk = (choice) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
