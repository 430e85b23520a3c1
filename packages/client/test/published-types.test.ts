import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../test/support/scratch-directory.mjs";
import { repository, runProgram } from "../../coding-agent/test/support/program.ts";

// Checks the built package as another TypeScript project sees it: its exports and declarations, and nothing from this repository.

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
client.onApproval(async () => "allow_once");
client.onApproval(async ({ request }) => (request.kind === "read" ? "allow_once" : { decision: "deny", note: "no" }));
client.onPreview(async () => "apply");
client.onBudget(async () => ({ turns: 3 }));
// @ts-expect-error there is no such decision
client.onApproval(async () => "allow");
// @ts-expect-error there is no such decision
client.onPreview(async () => "allow_once");
new RpcClient({ onApproval: async ({ request }) => (request.kind === "read" ? "allow_once" : "deny"), permissions: "ask" });
// @ts-expect-error there is no such decision
new RpcClient({ onApproval: async () => "allow" });
const error = new RpcCommandError({ command: "x", error: "y" });
console.log(error.code?.length);
export const over = (transport: Transport) => new RpcCore().connect(transport);
export {};
`;

const TOOLS = `
import { query, run, tool } from "@pintle/client";
import { Type } from "typebox";
import { z } from "zod";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>) => {};

const literal = tool({
  name: "literal",
  description: "d",
  readOnly: true,
  schema: {
    type: "object",
    properties: {
      path: { type: "string" },
      line: { type: ["integer", "null"] },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" } },
      deep: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
      either: { anyOf: [{ type: "string" }, { const: 3 }] },
    },
    required: ["path", "line", "kind", "tags", "deep"],
  },
  execute: (args) => {
    same<
      typeof args,
      {
        path: string;
        line: number | null;
        kind: "a" | "b";
        tags: string[];
        deep: { on: boolean };
        either?: string | 3;
      }
    >(true);
    return args.path;
  },
});
const box = tool({
  name: "box",
  description: "d",
  annotations: { idempotentHint: true },
  timeoutMs: 5,
  schema: Type.Object({
    path: Type.String(),
    line: Type.Optional(Type.Integer()),
    kind: Type.Union([Type.Literal("a"), Type.Literal("b")]),
    tags: Type.Array(Type.String()),
    pair: Type.Tuple([Type.String(), Type.Number()]),
    more: Type.Record(Type.String(), Type.Number()),
  }),
  execute: async (args, { signal, sendUpdate }) => {
    same<
      typeof args,
      {
        path: string;
        line?: number;
        kind: "a" | "b";
        tags: string[];
        pair: [string, number];
        more: Record<string, number>;
      }
    >(true);
    if (signal.aborted) sendUpdate("x");
    return { content: [{ type: "text", text: args.path }], terminate: true };
  },
});
const standard = tool({
  name: "standard",
  description: "d",
  schema: z.object({ at: z.string().transform((text) => text.length) }),
  execute: (args) => {
    same<typeof args, { at: number }>(true);
    return undefined;
  },
});
// @ts-expect-error the argument is a string
tool({ name: "x", description: "d", schema: Type.Object({ a: Type.String() }), execute: ({ a }) => a.toFixed() });
// @ts-expect-error a number is no output
tool({ name: "x", description: "d", execute: () => 3 });

const result = await run("x", {
  tools: [literal, box, standard],
  permissions: "ask",
  budget: { costUsd: 0.5, turns: 20 },
  noSession: true,
  onApproval: async ({ request }) => (request.kind === "read" ? "allow_once" : "deny"),
  outputSchema: Type.Object({ file: Type.String(), line: Type.Integer() }),
});
// @ts-expect-error it may not have been completed
console.log(result.output.file);
if (result.status !== "completed") throw new Error(\`\${result.endedBy}: \${result.error?.message}\`);
same<typeof result.output, { file: string; line: number }>(true);
const events = query("x", { outputSchema: z.object({ day: z.string() }) });
for await (const event of events) if (event.type === "prompt_result") console.log(event.status);
const last = await events.result;
if (last.status === "completed") same<typeof last.output, { day: string }>(true);
else console.log(last.output === undefined, last.denials.length, last.cost?.toFixed());
void run("x", { onApproval: async () => "allow_once", onPreview: async () => "apply" });
// @ts-expect-error there is no such decision
void run("x", { onApproval: async () => "allow" });
// @ts-expect-error there is no such preset
void run("x", { permissions: "all" });
export {};
`;

/** Returns the code blocks of the page, each as a module of its own. */
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
  for (const name of ["@types", "typebox", "zod"])
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  const write = (name: string, text: string) => writeFileSync(join(scratch.path, name), text);
  const files = ["host.ts", "tools.ts", ...blocksOfThePage().map((_, index) => `block${index}.ts`)];
  for (const [index, text] of [HOST, TOOLS, ...blocksOfThePage()].entries()) write(files[index]!, text);
  write("package.json", '{"type":"module"}');
  const lib = ["ES2023", "ESNext.Disposable", "DOM"];
  const compilerOptions = {
    module,
    moduleResolution,
    target: "ES2022",
    lib,
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
  // Same arguments as scripts/typescript.mjs.
  const { stdout, code } = await runProgram(["-p", ".", "--checkers", "1"], {
    cwd: scratch.path,
    env: { PATH: process.env.PATH ?? "", GOGC: "off" },
    command: [join(repository, "node_modules/.bin/tsc")],
  });
  expect(stdout).toBe("");
  expect(code).toBe(0);
});
