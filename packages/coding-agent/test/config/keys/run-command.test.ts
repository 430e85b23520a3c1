import { expect, test } from "bun:test";
import { runSecretCommand } from "../../../src/config/keys/run-command.ts";

const never = () => new AbortController().signal;

test("returns the command's output and exit code, without stderr", async () => {
  expect(await runSecretCommand("echo key; echo noise >&2; exit 3", { signal: never() })).toEqual({
    stdout: "key\n",
    exitCode: 3,
  });
});

test("a command that waits for input gets none", async () => {
  expect(await runSecretCommand("cat", { signal: never() })).toEqual({ stdout: "", exitCode: 0 });
});

test("a stopped command is killed", async () => {
  const stop = new AbortController();
  const running = runSecretCommand("echo started; sleep 600", { signal: stop.signal });
  stop.abort();
  expect((await running).exitCode).not.toBe(0);
});
