// `@pintle/client` as imported by another project.
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedProject, PATIENCE_MS, runIn } from "./support/installed.mjs";

const USE = `
  const client = new RpcClient({ model: "pintle/offline", args: ["--no-session"] });
  await client.start();
  const { model } = await client.getState();
  await client.stop();
  console.log(model.id, RpcCore.name, client instanceof RpcCore);
`;
const ESM = `import { RpcClient } from "@pintle/client";\nimport { RpcCore } from "@pintle/client/core";\n${USE}`;
const COMMONJS = `const { RpcClient } = require("@pintle/client");\nconst { RpcCore } = require("@pintle/client/core");\n(async () => {${USE}})();`;

let project;
let node;
beforeAll(async () => {
  project = await installedProject();
  writeFileSync(join(project, "use.mjs"), ESM);
  writeFileSync(join(project, "use.cjs"), COMMONJS);
  node = (await runIn(project, ["node", "-p", "process.execPath"])).stdout.trim();
}, PATIENCE_MS);

test.each([
  ["an ES module under Node", () => [node, "use.mjs"]],
  ["CommonJS under Node", () => [node, "use.cjs"]],
  ["an ES module under Bun", () => [process.execPath, "use.mjs"]],
  ["CommonJS under Bun", () => [process.execPath, "use.cjs"]],
])("%s starts the program of the installed package", async (_, command) => {
  // With an empty PATH the launcher could not start: the client must have found the program itself.
  const { code, stdout, stderr } = await runIn(project, command(), { env: { PATH: "/nowhere" } });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "offline RpcCore true\n", stderr: "" });
});

test("the declarations of the wire are a package that any runtime can import", async () => {
  const code = `import { PROTOCOL_VERSION, commands } from "@pintle/wire";
    import { protocolSchema } from "@pintle/wire/schemas";
    console.log(PROTOCOL_VERSION, commands.prompt.lane !== undefined, Object.keys(protocolSchema().$defs).includes("Ready"));`;
  writeFileSync(join(project, "wire.mjs"), code);
  for (const runtime of [node, process.execPath])
    expect((await runIn(project, [runtime, "wire.mjs"])).stdout).toBe("1 true true\n");
});
