import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { sendEvents, sendStatus, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { cleanEnvironment, program, runProgram } from "../support/program.ts";
import { makePipe } from "../support/scenarios/special-files.ts";
import { where } from "../support/where.ts";

const ANSWER = [
  '{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello "}}]}',
  '{"id":"x","choices":[{"index":0,"delta":{"content":"world"},"finish_reason":"stop"}]}',
  "[DONE]",
]
  .map((data) => `data: ${data}\n\n`)
  .join("");

const SESSION_LINE = /^pintle: session [0-9a-f-]{36}\n$/;

/** A home whose models.json points to a server. */
function homeFor(path: string, baseUrl: string): Record<string, string> {
  mkdirSync(join(path, ".pintle"), { recursive: true });
  const provider = { baseUrl, api: "openai-completions", apiKey: "secret-key-123", models: [{ id: "m" }] };
  writeFileSync(join(path, ".pintle", "models.json"), JSON.stringify({ providers: { local: provider } }));
  return cleanEnvironment(path);
}

describe("pintle -p", () => {
  test("prints the answer of a model in models.json", async () => {
    using scratch = scratchDirectory();
    await using server = await startLoopbackServer(sendEvents(ANSWER));
    const env = homeFor(scratch.path, server.url);
    const result = await runProgram(["-p", "Say hello", "--model", "local/m"], { cwd: scratch.path, env });
    expect(result).toEqual({ code: 0, stdout: "Hello world\n", stderr: expect.stringMatching(SESSION_LINE) });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer secret-key-123");
    expect(server.requests[0]?.body.messages.at(-1)).toEqual({ role: "user", content: "Say hello" });
  });

  test("appends the answer to a file exactly as it is written to a pipe, every time", async () => {
    using scratch = scratchDirectory();
    const env = cleanEnvironment(scratch.path);
    const out = join(scratch.path, "out.txt");
    writeFileSync(out, "before\n");
    for (let run = 0; run < 8; run += 1) {
      const child = Bun.spawn(["sh", "-c", '"$0" -p "say hi" >> "$1" 2>/dev/null', program, out], {
        cwd: scratch.path,
        env,
      });
      expect(await child.exited).toBe(0);
    }
    const { stdout } = await runProgram(["-p", "say hi"], { cwd: scratch.path, env });
    expect(stdout.length).toBeGreaterThan(1);
    expect(readFileSync(out, "utf8")).toBe(`before\n${stdout.repeat(8)}`);
  });

  test.each([
    ["a file argument", ["-p", "@pipe"]],
    ["--system-prompt", ["--system-prompt", "pipe", "-p", "hi"]],
    ["--append-system-prompt", ["--append-system-prompt", "pipe", "-p", "hi"]],
  ])("rejects a pipe without waiting for it: %s", async (_, args) => {
    using scratch = scratchDirectory();
    makePipe(join(scratch.path, "pipe"));
    const { code, stderr } = await runProgram(args, { cwd: scratch.path, env: cleanEnvironment(scratch.path) });
    expect([code, stderr]).toEqual([1, "pintle: pipe is not a regular file\n"]);
  });

  test.each([[["--help"]], [["-p", "help"]], [["--mode", "json", "-p", "help"]]])(
    "fails if output cannot be written: %j",
    async (args) => {
      using scratch = scratchDirectory();
      const child = Bun.spawn(["sh", "-c", '"$0" "$@" > /dev/full', program, ...args], {
        cwd: scratch.path,
        env: cleanEnvironment(scratch.path),
        stderr: "pipe",
      });
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
        1,
        expect.stringMatching(/pintle: (ENOSPC|the output could not be written)/),
      ]);
    },
  );

  test("does not fail if the reader closes early", async () => {
    using scratch = scratchDirectory();
    const env = cleanEnvironment(scratch.path);
    const command = '{ "$0" --help; echo "code $?" >&2; } | head -1';
    const child = Bun.spawn(["sh", "-c", command, program], { cwd: scratch.path, env, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect([stdout.startsWith("Usage: pintle"), stderr]).toEqual([true, "code 0\n"]);
  });

  test("treats several messages as prompts of one conversation, after piped text", async () => {
    using scratch = scratchDirectory();
    await using server = await startLoopbackServer(sendEvents(ANSWER));
    const env = homeFor(scratch.path, server.url);
    const result = await runProgram(["--model", "m", "number", "one", "--message", "two"], {
      cwd: scratch.path,
      env,
      input: "piped",
    });
    expect(result).toMatchObject({ code: 0, stdout: "Hello world\n\nHello world\n" });
    const roles = server.requests[1]?.body.messages.map((message: { role: string }) => message.role);
    expect(roles).toEqual(["system", "user", "assistant", "user"]);
    expect(server.requests[0]?.body.messages[1].content).toBe("piped\nnumber one");
  });

  test("a failing model exits with code 1 and a message without the key", async () => {
    using scratch = scratchDirectory();
    const body = '{"error":{"message":"bad key secret-key-123","type":"invalid_request_error"}}';
    await using server = await startLoopbackServer(sendStatus(401, body));
    const env = homeFor(scratch.path, server.url);
    const result = await runProgram(["-p", "hi", "--model", "m"], { cwd: scratch.path, env });
    expect([result.code, result.stdout]).toEqual([1, ""]);
    expect(result.stderr.split("\n")[0]).toBe("pintle: local/m: HTTP 401: bad key <secret> (key from models.json)");
  });

  test("writes an extension's messages to stderr, and the extension knows that no user can answer", async () => {
    using scratch = scratchDirectory();
    const extension = join(scratch.path, "told.ts");
    writeFileSync(
      extension,
      `export default (pi) => pi.on("session_start", async (_event, ctx) => {
        const isYes = await ctx.ui.confirm("Really?", "");
        ctx.ui.notify("told " + ctx.hasUI + " " + isYes + "\\u001b[2J", "warning");
      });`,
    );
    const options = { cwd: scratch.path, env: cleanEnvironment(scratch.path) };
    for (const mode of [[], ["--mode", "json"]]) {
      const { code, stderr } = await runProgram([...mode, "-e", extension, "-p", "help"], options);
      expect([code, stderr]).toEqual([0, expect.stringContaining("pintle: told false false")]);
    }
    const { stderr } = await runProgram(["--quiet", "-e", extension, "-p", "help"], options);
    expect(stderr).toBe("");
  });

  test("without a model the offline model answers and reports itself on stderr", async () => {
    using scratch = scratchDirectory();
    const { code, stdout, stderr } = await runProgram(["-p", "help"], {
      cwd: scratch.path,
      env: cleanEnvironment(scratch.path),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("rules");
    expect(stderr).toContain("offline model");
    expect(stderr).toContain("ANTHROPIC_API_KEY");
  });

  test.each([
    [[], "", 2, "there is no message to answer"],
    [["--mode", "banana", "x"], "", 2, '--mode must be one of text, json, rpc, rpc-ui, acp, not "banana"'],
    [["-z"], "", 2, "unknown option -z"],
    [["-p", "@missing.txt"], "", 1, "missing.txt"],
    [["-p", "hi", "--model", "no-such-model"], "", 2, "no-such-model"],
    [["-p", "hi", "--provider", "nobody"], "", 2, 'Unknown provider "nobody"'],
    [["--cwd", "/does/not/exist", "-p", "hi"], "", 1, "/does/not/exist"],
  ])("%j exits with a message and the right code", async (args, input, code, message) => {
    using scratch = scratchDirectory();
    const result = await runProgram(args, { cwd: scratch.path, env: cleanEnvironment(scratch.path), input });
    expect(result.stderr).toContain(message);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
  });

  test("--help, --version and --list-models print and exit", async () => {
    using scratch = scratchDirectory();
    const options = { cwd: scratch.path, env: cleanEnvironment(scratch.path, { OPENAI_API_KEY: "k" }) };
    expect((await runProgram(["--help"], options)).stdout).toContain("--mode rpc");
    expect((await runProgram(["--version"], options)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const models = await runProgram(["--list-models", "offline"], options);
    expect(models.stdout).toBe(
      "provider  model    context  max output  thinking  images\npintle    offline  33K      4K          no        no\n",
    );
  });
});

// Other systems do not show which signals a process handles.
const onLinux = where(process.platform === "linux", "needs Linux");
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  onLinux.test(`${signal} ends pintle while it waits for its input`, async () => {
    using scratch = scratchDirectory();
    const child = Bun.spawn([program, "-p", "hi"], {
      cwd: scratch.path,
      env: cleanEnvironment(scratch.path),
      stdin: "pipe",
      stderr: "pipe",
    });
    // Bit 14 of the caught signals is SIGTERM: once it is set, the program handles the signal.
    while (!readFileSync(`/proc/${child.pid}/status`, "utf8").match(/SigCgt:\s*[0-9a-f]*[4-7c-f][0-9a-f]{3}$/m))
      await Bun.sleep(5);
    child.kill(signal);
    expect(await child.exited).toBe(signal === "SIGTERM" ? 143 : 130);
  });
}
