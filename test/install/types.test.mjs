// The declarations as other TypeScript projects see them, without anything of ours around.
import { beforeAll, expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";
import { COMPILER_ENV, typescript } from "../../scripts/typescript.mjs";
import { installedProject, PATIENCE_MS, runIn } from "./support/installed.mjs";

const EXTENSION = `
import type { CustomToolFactory, ExtensionAPI, ExtensionContext, ExtensionFactory } from "pintle";
import { defineTool } from "pintle";
import { Type } from "typebox";

const tool = defineTool({
  name: "greet",
  label: "Greet",
  description: "Greets",
  parameters: Type.Object({ name: Type.String() }),
  async execute(_id, { name }) {
    // @ts-expect-error the type of an argument follows from the schema
    const count: number = name;
    return { content: [{ type: "text", text: name.toUpperCase() + count }] };
  },
});

const extension: ExtensionFactory = (api: ExtensionAPI) => {
  api.registerTool(tool);
  api.on("session_start", (_event, context: ExtensionContext) => context.ui.notify("ready"));
  // @ts-expect-error there is no such event
  api.on("no_such_event", () => {});
};
export default extension;
export type Factory = CustomToolFactory;
`;

const HOST = `
import { RpcClient } from "@pintle/client";
import { RpcCore } from "@pintle/client/core";
export async function ask(client: RpcClient, core: RpcCore): Promise<string> {
  // @ts-expect-error a message is a string
  await client.prompt(3);
  const { model } = await client.getState();
  return model?.id ?? String(core);
}
`;

/** The same calls of the client and of the library: only the import differs. */
const once = (name) => `
import { run, query, tool } from "${name}";
import { Type } from "typebox";
const owner = tool({ name: "owner", description: "d", readOnly: true, schema: Type.Object({ path: Type.String() }),
  execute: async ({ path }) => path.toUpperCase() });
export async function ask(): Promise<number> {
  const result = await run("x", { tools: [owner], permissions: "ask", budget: { turns: 3 }, noSession: true,
    onApproval: async () => "allow_once", outputSchema: Type.Object({ line: Type.Integer() }) });
  // @ts-expect-error there is an output only if the run was completed
  result.output.line;
  // @ts-expect-error there is no such decision
  query("x", { onApproval: async () => "allow" });
  return result.status === "completed" ? result.output.line : (result.cost ?? 0);
}
`;

const SESSION = `
import { createAgentSession, type EmbeddedSession } from "pintle";
export async function ask(): Promise<string> {
  const { session }: { session: EmbeddedSession } = await createAgentSession({ noSession: true });
  const outputSchema = { type: "object", properties: { file: { type: "string" } }, required: ["file"] } as const;
  const result = await session.prompt("x", { outputSchema, timeoutMs: 5 });
  if (result.status !== "completed") return result.error?.message ?? result.text;
  // @ts-expect-error the type of the output follows from the schema
  const count: number = result.output.file;
  return result.output.file + count;
}
`;

const CORE = `
import { RpcCore } from "@pintle/client/core";
export const ask = (core: RpcCore): Promise<unknown> => core.getState();
// @ts-expect-error the core runs in a browser as well: it brings no types of Node
export type Bytes = Buffer;
`;

const WIRE = `
import type { ErrorCode, Params, ReadyFrame, ServerFrame } from "@pintle/wire";
import { commands, ERROR_CODES } from "@pintle/wire";
import { protocolSchema } from "@pintle/wire/schemas";
export const prompt: Params<"prompt"> = { message: "hello" };
// @ts-expect-error a prompt has a message
export const empty: Params<"prompt"> = {};
export const codes = Object.keys(ERROR_CODES) as ErrorCode[];
export const isReady = (frame: ServerFrame): frame is ReadyFrame => frame.type === "ready";
export const lanes = [commands.prompt.lane, typeof protocolSchema];
`;

let project;
beforeAll(async () => {
  project = await installedProject();
  writeFileSync(join(project, "extension.mts"), EXTENSION);
  writeFileSync(join(project, "host.mts"), HOST);
  writeFileSync(join(project, "host.cts"), HOST);
  writeFileSync(join(project, "core.mts"), CORE);
  writeFileSync(join(project, "once.mts"), once("@pintle/client"));
  writeFileSync(join(project, "once-library.mts"), once("pintle"));
  writeFileSync(join(project, "session.mts"), SESSION);
  writeFileSync(join(project, "wire.mts"), WIRE);
  // The content of `npm install --save-dev @types/node`.
  for (const name of ["@types/node", "undici-types"])
    cpSync(join(root, "node_modules", name), join(project, "node_modules", name), { recursive: true });
}, PATIENCE_MS);

const ONCE = ["once.mts", "once-library.mts", "session.mts"];
const EVERY_FILE = ["extension.mts", "host.mts", "host.cts", "wire.mts", ...ONCE];
const ES_MODULES = EVERY_FILE.filter((name) => name.endsWith(".mts"));
const NODE_NEXT = { module: "NodeNext", moduleResolution: "NodeNext", target: "ES2022" };
const BUNDLER = { module: "ESNext", moduleResolution: "bundler", target: "ES2022" };

// Only the last row skips the check of libraries: our declarations must be correct under every setting, not merely
// usable.
test.each([
  // Neither `types` nor `lib`: the declarations themselves must reference what they need.
  ["nothing but NodeNext", NODE_NEXT, EVERY_FILE],
  ["exact optional properties", { ...NODE_NEXT, exactOptionalPropertyTypes: true }, EVERY_FILE],
  ["a list of libraries", { ...NODE_NEXT, lib: ["ES2023", "DOM", "DOM.AsyncIterable"], types: ["node"] }, EVERY_FILE],
  ["the core alone", NODE_NEXT, ["core.mts"]],
  ["a bundler", { ...BUNDLER, skipLibCheck: true }, ES_MODULES],
])(
  "the declarations are clean with %s",
  async (name, options, files) => {
    const config = `tsconfig.${name.replaceAll(" ", "-")}.json`;
    const compilerOptions = { ...options, strict: true, noEmit: true };
    writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files }));
    const { code, stdout } = await runIn(project, typescript(["-p", config]), { env: COMPILER_ENV });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  },
  PATIENCE_MS,
);
