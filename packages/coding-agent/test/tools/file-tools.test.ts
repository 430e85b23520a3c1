import { expect, test } from "bun:test";
import { createTool } from "../../src/tools/define-tool.ts";
import { editTool } from "../../src/tools/edit.ts";
import { lsTool } from "../../src/tools/ls.ts";
import { readTool } from "../../src/tools/read.ts";
import { writeTool } from "../../src/tools/write.ts";
import { openToolSession } from "../support/tools/tool-session.ts";

const PARAMETERS = {
  read: { required: ["path"], properties: ["path", "offset", "limit", "lineNumbers"] },
  write: { required: ["path", "content"], properties: ["path", "content"] },
  edit: { required: ["path", "edits"], properties: ["path", "edits"] },
  ls: { required: undefined, properties: ["path", "limit"] },
};

test("what the tools are offered with", async () => {
  const { context, close } = openToolSession();
  const tools = [
    createTool(readTool, context),
    createTool(writeTool, context),
    createTool(editTool, context),
    createTool(lsTool, context),
  ];
  const offered = tools.map(({ name, parameters }) => {
    const { required, properties } = JSON.parse(JSON.stringify(parameters));
    return [name, { required, properties: Object.keys(properties) }];
  });
  expect(Object.fromEntries(offered)).toEqual(PARAMETERS);
  await close();
});
