import { expect, test } from "bun:test";
import { LazyGateway } from "../../src/processes/lazy-gateway.ts";

test("after the end nothing is started any more, also when nothing was started before", async () => {
  const gateway = new LazyGateway();
  await gateway.killAll("shutdown");
  const opened = await gateway.open();
  const start = async () => opened.start({ command: ["true"], cwd: "/", stdout: "ignore", stderr: "ignore" } as never);
  expect(
    await start().then(
      () => "started",
      ({ code }: { code: string }) => code,
    ),
  ).toBe("gateway_closed");
});
