// `pintle` as a library: on Bun the agent itself, on other runtimes a helpful error.
import { beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyDirectory, installedProject, PATIENCE_MS, runIn } from "./support/installed.mjs";

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

// A module that imports every name the library provides to modules, like a user's module.
const MODULE = `
  import { createAgentSession, defineTool } from "pintle";
  import { Type } from "typebox";
  import { Compile } from "typebox/compile";
  import { Value } from "typebox/value";
  import { TypeCompiler } from "@sinclair/typebox/compiler";
  const parameters = Type.Object({ name: Type.String() });
  const works = [Value.Check, (schema, value) => Compile(schema).Check(value), (schema, value) => TypeCompiler.Compile(schema).Check(value)];
  export default (pi) => {
    const execute = async (_id, { name }) => {
      const checks = works.map((check) => check(parameters, { name }));
      return { content: [{ type: "text", text: [pi.typebox.Type === Type, typeof createAgentSession, ...checks, name].join(" ") }] };
    };
    pi.registerTool(defineTool({ name: "greet", label: "Greet", description: "Greets", parameters, execute }));
  };
`;
const GREETED = "true function true true true Ada";

/** Calls the tool `greet` in a session with these options, given as source text. */
function greeting(options) {
  return `
    import { createAgentSession, defineTool } from "pintle";
    import { Type } from "typebox";
    const parameters = Type.Object({ name: Type.String() });
    const execute = async (_id, { name }) => ({ content: [{ type: "text", text: "hello " + name }] });
    const tool = defineTool({ name: "greet", label: "Greet", description: "Greets", parameters, execute });
    const { session, modules } = await createAgentSession({
      flags: { model: "pintle/offline" }, session: { inMemory: true }, ${options}
    });
    await session.prompt('call greet {"name":"Ada"}');
    console.log(JSON.stringify(modules.faults), session.getLastAssistantText());
    await session.dispose();
  `;
}

test.each([
  ["customTools", "customTools: [tool]", "hello Ada"],
  ["extensions", "extensions: [(pi) => pi.registerTool(tool)]", "hello Ada"],
  ["additionalExtensionPaths", 'additionalExtensionPaths: ["greet-extension.ts"]', GREETED],
  ["a file in ~/.pintle/extensions", "", GREETED],
])("tools from %s work in the installed library", async (name, options, answer) => {
  const home = emptyDirectory(`home of ${name.replaceAll(/\W/g, "-")}`);
  const file = options === "" ? join(home, "extensions/greet.ts") : join(project, "greet-extension.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, MODULE);
  writeFileSync(join(project, "greeting.mjs"), greeting(options));
  const { code, stdout, stderr } = await runIn(project, [process.execPath, "greeting.mjs"], {
    env: { PINTLE_HOME: home },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toStartWith("[] ");
  expect(stdout).toContain(answer);
});

test("under Node the import explains what to use", async () => {
  const { code, stderr } = await runIn(project, ["node", "library.mjs"]);
  expect(code).toBe(1);
  expect(stderr).toContain("from Node, start it with the package @pintle/client");
});
