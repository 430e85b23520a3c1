import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository, runProgram, scratchDirectory } from "../../coding-agent/test/support/program.ts";

// The built package as a TypeScript project of somebody else sees it: its exports, its declarations, nothing of ours.

const HOST = `
import { type HostTool, RpcClient, RpcCommandError } from "@pintle/client";
import { RpcCore, type Transport } from "@pintle/client/core";

const tool: HostTool = {
  name: "t",
  description: "d",
  parameters: { type: "object" },
  execute: ({ a }, { signal }) => \`\${a} \${signal.aborted}\`,
};
const client = new RpcClient({ customTools: [tool], updateMode: "delta" });
client.on("message_update", ({ message }) => message.content.length.toFixed());
client.onPreview(({ label }) => (label === "x" ? "apply" : undefined));
client.onTrustRequest(({ items }) => items.length === 0);
client.onUiRequest((request) => (request.method === "select" ? request.options[0] : undefined));
for await (const event of client.run("x")) if (event.type === "agent_end") console.log(event.stopReason);
const { model } = await client.getState();
console.log(model?.id.length);
const { output } = await client.bash("ls", { timeoutMs: 10 });
console.log(output.trim());
// @ts-expect-error a command is a string
await client.bash(3);
// @ts-expect-error there is no such event
client.on("no_such_event", () => {});
const error = new RpcCommandError({ command: "x", error: "y" });
console.log(error.code?.length);
export const over = (transport: Transport) => new RpcCore().connect(transport);
export {};
`;

/** What the page shows, each block a module of its own. */
function blocksOfThePage(): string[] {
  const page = readFileSync(join(repository, "docs/embedding.md"), "utf8");
  return [...page.matchAll(/^```(?:js|ts)\n([\s\S]*?)^```$/gm)].map(([, code]) => `${code}\nexport {};\n`);
}

test.each([
  ["NodeNext", "NodeNext"],
  ["Node16", "Node16"],
  ["ESNext", "bundler"],
])("module %s, resolution %s", async (module, moduleResolution) => {
  using scratch = scratchDirectory();
  const modules = join(scratch.path, "node_modules");
  mkdirSync(join(modules, "@pintle"), { recursive: true });
  symlinkSync(join(repository, "packages/client"), join(modules, "@pintle/client"));
  symlinkSync(join(repository, "node_modules/@types"), join(modules, "@types"));
  const write = (name: string, text: string) => writeFileSync(join(scratch.path, name), text);
  const files = ["host.ts", ...blocksOfThePage().map((_, index) => `block${index}.ts`)];
  for (const [index, text] of [HOST, ...blocksOfThePage()].entries()) write(files[index]!, text);
  write("package.json", '{"type":"module"}');
  const lib = ["ES2023", "ESNext.Disposable", "DOM"];
  const compilerOptions = {
    module,
    moduleResolution,
    target: "ES2022",
    lib,
    types: ["node"],
    strict: true,
    noEmit: true,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  const tsc = join(repository, "node_modules/.bin/tsc");
  const { stdout, code } = await runProgram(["-p", "."], {
    cwd: scratch.path,
    env: { PATH: process.env.PATH ?? "" },
    command: [tsc],
  });
  expect(stdout).toBe("");
  expect(code).toBe(0);
});
