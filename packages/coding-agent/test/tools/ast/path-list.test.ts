import { expect, test } from "bun:test";
import fc from "fast-check";
import { joinPaths, splitPathList } from "../../../src/tools/ast/arguments.ts";

test.each([
  ["src", ["src"]],
  ["src, test ,,lib", ["src", "test", "lib"]],
  [`"a b.ts", 'c,d.ts', e f`, ["a b.ts", "c,d.ts", "e f"]],
  [`src/*.ts,"x"`, ["src/*.ts", "x"]],
  [`it's here`, ["it's here"]],
  [`"half`, [`"half`]],
  [" , ", []],
])("%s", (list, names) => {
  expect(splitPathList(list)).toEqual(names);
});

test("a list of paths survives quoting and splitting", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "b", ",", " ", "/", '"', "'"), minLength: 1 });
  const usable = name.filter((text) => text === text.trim() && !(text.includes('"') && text.includes("'")));
  fc.assert(
    fc.property(fc.array(usable, { minLength: 1 }), (paths) => {
      const { path } = joinPaths({ paths }) as { path: string };
      expect(splitPathList(path)).toEqual(paths);
    }),
  );
});
