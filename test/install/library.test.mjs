// `pintle` as a library: on Bun the agent itself, elsewhere a sentence that helps.
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedProject, PATIENCE_MS, runIn } from "./support/installed.mjs";

const USE = `
  import { createAgentSession, defineTool } from "pintle";
  const { session } = await createAgentSession({ flags: { model: "pintle/offline" }, session: { inMemory: true } });
  await session.prompt("search needle in haystack.txt");
  console.log(session.getLastAssistantText(), typeof defineTool);
  await session.dispose();
`;

let project;
beforeAll(async () => {
  project = await installedProject();
  writeFileSync(join(project, "library.mjs"), USE);
  writeFileSync(join(project, "haystack.txt"), "a needle\n");
}, PATIENCE_MS);

test("on Bun it runs a session, with the native parts of the platform's package", async () => {
  const { code, stdout, stderr } = await runIn(project, [process.execPath, "library.mjs"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("haystack.txt");
  expect(stdout).toEndWith("function\n");
});

test("under Node the import says what to use", async () => {
  const { code, stderr } = await runIn(project, ["node", "library.mjs"]);
  expect(code).toBe(1);
  expect(stderr).toContain("from Node, start it with the package @pintle/client");
});
