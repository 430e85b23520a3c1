import { expect, test } from "bun:test";
import { LazyProcessRunner } from "../../src/processes/lazy-process-runner.ts";

test("after the end nothing is started any more, also when nothing was started before", async () => {
  const processRunner = new LazyProcessRunner();
  await processRunner.killAll("shutdown");
  const opened = await processRunner.open();
  const start = async () => opened.start({ command: ["true"], cwd: "/", stdout: "ignore", stderr: "ignore" } as never);
  expect(
    await start().then(
      () => "started",
      ({ code }: { code: string }) => code,
    ),
  ).toBe("runner_closed");
});
