import { beforeAll, describe, expect, test } from "bun:test";
import * as typebox from "typebox";
import { importFile } from "../../../src/extensibility/loading/imported-files.ts";
import { provideModules } from "../../../src/extensibility/loading/virtual-modules.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

beforeAll(() => provideModules([]));

async function exportsOf(source: string, name = "module.ts"): Promise<Record<string, unknown>> {
  using folder = moduleFolder();
  return (await importFile(folder.write(name, source))) as Record<string, unknown>;
}

describe("modules provided by the program", () => {
  test("all names of the schema library lead to one module", async () => {
    const source = `
      export { Type as a } from "typebox"; export { Type as b } from "@sinclair/typebox"; export { default as c } from "typebox";
      export { Value as value } from "typebox/value"; export { Value as oldValue } from "@sinclair/typebox/value";
      export { Compile } from "typebox/compile"; export { Compile as CompileSchema } from "typebox/schema";
      export { Object as ObjectType } from "typebox/type";`;
    const { a, b, c, value, oldValue, Compile, CompileSchema, ObjectType } = await exportsOf(source);
    expect([a, b, c]).toEqual([typebox.Type, typebox.Type, typebox.Type]);
    expect(oldValue).toBe(value);
    expect([Compile, CompileSchema, ObjectType].map((item) => typeof item)).toEqual([
      "function",
      "function",
      "function",
    ]);
  });

  test("work in CommonJS code", async () => {
    const { default: Type } = await exportsOf("module.exports = require('@sinclair/typebox').Type", "module.cjs");
    expect(Type).toBe(typebox.Type);
  });

  test("the compiler of the older schema library checks values and explains errors", async () => {
    const { check, errors } = (await exportsOf(`
      import { Type } from "@sinclair/typebox"; import { TypeCompiler } from "@sinclair/typebox/compiler";
      const compiled = TypeCompiler.Compile(Type.Object({ list: Type.Array(Type.Number()) }));
      export const check = [compiled.Check({ list: [1] }), compiled.Check({ list: ["a"] })];
      const errors = compiled.Errors({ list: [1, "a"] });
      export { errors };`)) as { check: boolean[]; errors: Iterable<unknown> & { First(): unknown } };
    expect(check).toEqual([true, false]);
    expect([...errors]).toEqual([{ path: "/list/1", message: expect.any(String), value: "a" }]);
    expect(errors.First()).toBe([...errors][0]);
  });

  test("the first provider of a name keeps it, and nothing is loaded twice", async () => {
    let loads = 0;
    const load = (who: string) => () => {
      loads += 1;
      return { who };
    };
    provideModules([{ specifiers: ["virtual-test-module"], load: load("first") }]);
    provideModules([{ specifiers: ["virtual-test-module"], load: load("second") }]);
    expect((await exportsOf("export { who } from 'virtual-test-module'")).who).toBe("first");
    expect(loads).toBe(1);
  });
});
