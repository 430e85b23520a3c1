import { expect, test } from "bun:test";
import { startExample } from "../support/examples/start-example.ts";

// Examples that bring tools, or change what tools do.

test("redact.ts hides what the flag names", async () => {
  await using run = await startExample("redact.ts", { args: ["--hide=API_TOKEN"], env: { API_TOKEN: "s3cr3t" } });
  await run.rpc.prompt("run echo s3cr3t");
  expect(run.resultOf("bash")).toEqual([false, "[hidden]\n"]);
  await run.rpc.end();
  expect(await run.rpc.stderr()).not.toContain("--hide");
});
