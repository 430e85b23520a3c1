// The declarations as TypeScript projects of others see them, with nothing of ours around.
import { beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/paths.mjs";
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
  writeFileSync(join(project, "wire.mts"), WIRE);
}, PATIENCE_MS);

test.each([
  // Checking the libraries takes a while, once is enough.
  ["NodeNext", "NodeNext", false, ["extension.mts", "host.mts", "host.cts", "wire.mts"]],
  ["ESNext", "bundler", true, ["extension.mts", "host.mts", "wire.mts"]],
])("module %s, resolution %s", async (module, moduleResolution, skipLibCheck, files) => {
  const compilerOptions = {
    ...{ module, moduleResolution, target: "ES2022", lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.AsyncIterable"] },
    ...{ strict: true, noEmit: true, skipLibCheck },
    ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
  };
  const config = `tsconfig.${moduleResolution}.json`;
  writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files }));
  const { code, stdout } = await runIn(project, ["node", join(root, "node_modules/typescript/bin/tsc"), "-p", config]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});
