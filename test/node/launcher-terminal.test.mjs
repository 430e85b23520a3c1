// In a terminal, Ctrl-C goes to the launcher and to the program: the program must see it once.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";

// Counts the signals it receives until it is stopped, and prints the count.
const PROGRAM = `#!/usr/bin/env node
let count = 0;
process.on("SIGINT", () => process.stdout.write("got " + ++count + "\\n"));
process.on("SIGTERM", () => process.exit(count));
process.stdin.resume();
process.stdout.write("up " + process.pid + "\\n");
`;

// Types Ctrl-C in a terminal, waits until it has arrived, then ends the program; the launcher passes the exit code on.
const TERMINAL = `
import os, pty, re, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = ""
def until(pattern):
    global text
    while not re.search(pattern, text):
        text += os.read(terminal, 4096).decode()
    return re.search(pattern, text)
program = int(until(r"up (\\d+)\\s").group(1))
os.write(terminal, b"\\x03")
until("got 1")
time.sleep(0.3)
os.kill(program, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test("Ctrl-C reaches the program once", {
  skip: !hasPython && process.env.CI !== "true" && "python3 is missing",
}, () => {
  const directory = scratchPath();
  try {
    const program = join(directory, "program");
    writeFileSync(program, PROGRAM, { mode: 0o755 });
    const start = join(root, "packages/coding-agent/bin/start-program.cjs");
    const code = `require(${JSON.stringify(start)}).startProgram(${JSON.stringify(program)}, [])`;
    const { stdout, stderr } = spawnSync("python3", ["-c", TERMINAL, process.execPath, "-e", code], {
      encoding: "utf8",
      timeout: 60_000,
    });
    assert.equal(stdout.trim(), "1", stderr);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
