import { expect, test } from "bun:test";
import { Type } from "typebox";
import { defineCustomTool, isDefinedCustomTool } from "../../../src/extensibility/api/defined-tools.ts";
import type { CustomToolFactory } from "../../../src/extensibility/api/tool-types.ts";

test("recognizes an object created with defineCustomTool, but not a copy of it", () => {
  const tool = defineCustomTool({
    name: "greet",
    label: "Greet",
    description: "Greets",
    parameters: Type.Object({ who: Type.String() }),
    execute: (_id, { who }) => ({ content: [{ type: "text", text: who.trim() }] }),
  });
  const factory: CustomToolFactory = () => [tool]; // types fit, whatever the schema
  expect([tool, { ...tool }].map(isDefinedCustomTool)).toEqual([true, false]);
  expect(factory({} as never)).toEqual([tool]);
});
