import { expect } from "bun:test";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, program, runProgram } from "../support/program.ts";
import { testWith } from "../support/system-tool.ts";

testWith("python3")("a host in plain Python reads every frame with its own line reader", async () => {
  using scratch = scratchDirectory();
  const command = ["python3", join(import.meta.dir, "../support/scenarios/host.py")];
  const args = [program, "--mode", "rpc", "--model", "pintle/offline"];
  const { code, stdout, stderr } = await runProgram(args, {
    cwd: scratch.path,
    env: cleanEnvironment(scratch.path),
    command,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    exit: 0,
    first: "ready",
    said: "help \u2028 \u2029 \u0085",
    answered: true,
    updates: true,
  });
});
