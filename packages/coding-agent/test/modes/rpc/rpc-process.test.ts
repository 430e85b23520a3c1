import { expect, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";

// Tests the process edge with real descriptors: a child whose session does nothing, so that only pipes and signals
// matter.

const source = (file: string) => JSON.stringify(join(import.meta.dir, "../../../src/modes/rpc", file));

const CHILD = `
  import { guardStdout } from ${source("../frames/stdout-guard.ts")};
  import { guardStdin } from ${source("stdin-guard.ts")};
  import { FrameWriter } from ${source("../frames/frame-writer.ts")};
  import { runRpcMode } from ${source("rpc-mode.ts")};
  import { FakeSession } from ${JSON.stringify(join(import.meta.dir, "../../support/modes/rpc/fake-session.ts"))};

  const writer = new FrameWriter({ sink: guardStdout() });
  const session = new FakeSession();
  const ending = new AbortController();
  process.on("SIGTERM", () => ending.abort("SIGTERM"));
  session.abort = async () => console.log("abort seen");
  const produce = (text) => {
    for (let i = 0; i < 1000 && !session.ready(); i++) {
      session.emit({ type: "notice", level: "info", message: text.repeat(1_000_000) });
    }
    console.log("producer paused");
  };
  session.prompting.submit = ({ text }) => {
    setTimeout(produce, 0, text);
    return { started: Promise.resolve(), finished: Promise.resolve() };
  };
  const code = await runRpcMode(session, { stdin: guardStdin(), writer, version: "1", ending: ending.signal });
  console.log("exit " + code);
  process.exit(code);
`;

const directory = scratchPath();

/** Resolves when the text has been printed to stderr. */
async function until(stderr: AsyncIterator<Uint8Array>, text: string): Promise<void> {
  let seen = "";
  while (!seen.includes(text)) {
    const { value, done } = await stderr.next();
    if (done) throw new Error(`the child ended without "${text}": ${seen}`);
    seen += new TextDecoder().decode(value);
  }
}

test("a host that never reads stdout can still abort and end the process", async () => {
  const path = join(directory, "never-read");
  Bun.spawnSync(["mkfifo", path]);
  const fifo = openSync(path, constants.O_RDWR); // a reader that exists but reads nothing
  const child = Bun.spawn([process.execPath, "-e", CHILD], { stdin: "pipe", stdout: fifo, stderr: "pipe" });
  const stderr = child.stderr[Symbol.asyncIterator]();
  const send = (frame: object) => {
    child.stdin.write(`${JSON.stringify(frame)}\n`);
    child.stdin.flush();
  };

  send({ type: "prompt", message: "x" });
  await until(stderr, "producer paused");
  send({ type: "abort" });
  await until(stderr, "abort seen");
  child.stdin.end();
  child.kill("SIGTERM");
  await until(stderr, "exit 1"); // what it did not receive is lost
  expect(await child.exited).toBe(1);
  closeSync(fifo);
});

test("a host that disconnects ends the process with 1", async () => {
  const pipeline = `"$BUN" -e "$CHILD" | head -n 1`;
  const shell = Bun.spawn(["sh", "-c", pipeline], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, BUN: process.execPath, CHILD },
  });
  const stderr = shell.stderr[Symbol.asyncIterator]();
  shell.stdin.write('{"type":"prompt","message":"x"}\n');
  shell.stdin.flush();
  await until(stderr, "exit 1");
  expect(JSON.parse(await new Response(shell.stdout).text())).toMatchObject({ type: "ready", version: "1" });
  await shell.exited;
});

test("frames of all sizes arrive complete when the host reads, including those after the end of input", async () => {
  const child = Bun.spawn([process.execPath, "-e", CHILD], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  child.stdin.write('{"type":"prompt","message":"漢"}\n');
  child.stdin.flush();
  await until(child.stderr[Symbol.asyncIterator](), "producer paused");
  child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trimEnd().split("\n");
  const notice = JSON.stringify({ type: "notice", level: "info", message: "漢".repeat(1_000_000) });
  expect(lines.slice(0, 2).map((line) => JSON.parse(line).type)).toEqual(["ready", "response"]);
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.slice(2).every((line) => line === notice)).toBe(true);
  expect(await child.exited).toBe(0);
});
