import { expect } from "bun:test";
import { join } from "node:path";
import published from "../../src/extensibility/aliases/published-names.json" with { type: "json" };
import { repository } from "../support/program.ts";
import { withPublishedPi } from "../support/public-extensions/installed.ts";

withPublishedPi.test("the list of names is that of the pinned packages of pi", async () => {
  const script = join(repository, "scripts/published-names.mjs");
  const child = Bun.spawn(["node", script, "--print"], { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).json()).toEqual(published);
});
