import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { type Respond, sendEvents, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { cleanEnvironment, dist, repository } from "../support/program.ts";

// Starts examples/approvals.mjs as its users do, with a model that gives exactly these answers.

const sse = (chunk: object): Respond => sendEvents(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);

let callCount = 0;

function calls(...wanted: [name: string, args: object][]): Respond {
  const toolCalls = wanted.map(([name, args], index) => {
    callCount += 1;
    return { index, id: `call_${callCount}`, function: { name, arguments: JSON.stringify(args) } };
  });
  return sse({ choices: [{ index: 0, delta: { tool_calls: toolCalls }, finish_reason: "tool_calls" }] });
}

const bash = (command: string): [string, object] => ["bash", { command }];
const DONE = sse({ choices: [{ index: 0, delta: { content: "All is said." }, finish_reason: "stop" }] });

interface Played extends Disposable {
  project: string;
  stdout: string;
  /** The tool results in the model's last request. */
  results: string[];
}

/** `typed` is sent to the terminal at once; undefined leaves it open and silent. */
async function play(answers: Respond[], typed: string | undefined, flags: string[] = []): Promise<Played> {
  const place = scratchDirectory();
  await using server = await startLoopbackServer(...answers);
  const env = cleanEnvironment(place.path, { PATH: `${dist}:${process.env.PATH ?? ""}` });
  const project = join(place.path, "project");
  mkdirSync(join(project, "docs"), { recursive: true });
  mkdirSync(env.PINTLE_HOME as string, { recursive: true });
  const provider = { baseUrl: server.url, api: "openai-completions", auth: "none", models: [{ id: "m" }] };
  writeFileSync(join(env.PINTLE_HOME as string, "models.json"), JSON.stringify({ providers: { local: provider } }));
  const example = join(repository, "examples/approvals.mjs");
  const child = Bun.spawn(["node", example, "go", "--model", "local/m", ...flags], {
    cwd: project,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  if (typed !== undefined) {
    child.stdin.write(typed);
    await child.stdin.end();
  }
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const messages: { role: string; content: string }[] = server.requests.at(-1)?.body.messages ?? [];
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { project, stdout, results, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

const questionsIn = ({ stdout }: Played): number => stdout.split("Asked because of").length - 1;

test("the host's rules decide automatically, and a user decides the rest", async () => {
  const wanted = calls(
    ["write", { path: "docs/a.md", content: "by rule\n" }],
    bash("git push"),
    bash("touch allowed"),
    bash("touch refused"),
  );
  using played = await play([wanted, DONE], "y\nuse the makefile\n");
  const { project, stdout, results } = played;
  expect(readFileSync(join(project, "docs/a.md"), "utf8")).toBe("by rule\n");
  expect([existsSync(join(project, "allowed")), existsSync(join(project, "refused"))]).toEqual([true, false]);
  expect(questionsIn(played)).toBe(2);
  expect(stdout).toContain("bash touch allowed\n  $ touch allowed\n  Asked because of the preset `ask`.\n");
  expect(stdout).toContain('  1: {"effect":"allow","command":"touch allowed"}\n');
  expect(stdout).toMatch(/Denied at .+, in \d+ s\.\n/);
  expect(stdout).toContain('=> deny by rule {"effect":"deny","command":"git push *"}\n');
  expect(stdout).toEndWith("\nAll is said.\n");
  expect(results[1]).toContain("a rule of the host");
  expect(results[3]).toContain("The user denied it: use the makefile");
});

test("a suggested rule that the user chose applies for the session", async () => {
  using played = await play([calls(bash("touch one")), calls(bash("touch one")), DONE], "1\n");
  expect(questionsIn(played)).toBe(1);
  expect(played.stdout).toContain('=> allow_once by rule {"effect":"allow","command":"touch one"}\n');
  expect(existsSync(join(played.project, "one"))).toBe(true);
});

test.each(["", "\n", "yes please\n", "Y\n", "2\n", "constructor\n"])("treats %j as a denial", async (typed) => {
  using played = await play([calls(bash("touch one")), DONE], typed);
  expect(played.stdout).toContain("=> deny by host\n");
  expect(existsSync(join(played.project, "one"))).toBe(false);
});

test("denies the call if the user does not answer in time", async () => {
  using played = await play([calls(bash("touch one")), DONE], undefined, ["--set", "permissions.timeoutMs=1000"]);
  expect(played.stdout).toContain("  No longer needed.\n");
  expect(played.stdout).toContain("=> deny by timeout\n");
  expect(existsSync(join(played.project, "one"))).toBe(false);
});

test("q denies and ends the run", async () => {
  using played = await play([calls(bash("touch one"), bash("touch two")), DONE], "q\n");
  expect(played.stdout).toContain("=> deny_and_stop by host\n");
  expect(played.stdout).not.toContain("All is said.");
});

test("escapes control sequences in the model's text", async () => {
  using played = await play([calls(bash("echo '\u001b[2J\u202ehidden'")), DONE], "");
  expect(played.stdout).toContain("$ echo '?[2J?hidden'");
  for (const hidden of ["\u001b", "\u202e"]) expect(played.stdout).not.toContain(hidden);
});
