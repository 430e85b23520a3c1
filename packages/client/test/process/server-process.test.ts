import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { ServerProcess } from "../../src/process/server-process.ts";

test("a pipe without a reader reports when it is full; the end of the process releases waiting writers", async () => {
  const server = new ServerProcess(spawn("sleep", ["60"], { stdio: "pipe" }), 10);
  let isFull: Promise<void> | undefined;
  for (let n = 0; n < 100 && !isFull; n += 1) isFull = server.transport.write("x".repeat(64 * 1024)) ?? undefined;
  expect(isFull).toBeInstanceOf(Promise);
  await server.stop(0);
  await isFull;
  expect(server.transport.write("after the end")).toBeUndefined();
  expect((await server.exited).signal).toMatch(/SIGTERM|SIGKILL/);
});

test("any number of process errors after the start does no harm", async () => {
  const child = spawn("cat", [], { stdio: "pipe" });
  const server = new ServerProcess(child, 10);
  for (const text of ["kill EPERM", "once more"]) child.emit("error", new Error(text));
  await server.stop(5000);
  expect(await server.exited).toEqual({ code: 0, signal: null });
});
