import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, truncateSync } from "node:fs";
import { type Inventory, takeInventory } from "../../src/trust/inventory.ts";
import { isSameContent, isUnchanged } from "../../src/trust/recheck.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

const look = (folder: ProjectFolder) => takeInventory(folder) as Inventory;

describe("directly before a module is loaded", () => {
  test("it must be what it was", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1", ".pintle/tools/b.ts": "1", ".pintle/tools/lib.ts": "1" });
    const inventory = look(folder);
    const is = (name: string) => isUnchanged(inventory, folder.at(`.pintle/tools/${name}`));
    expect(is("a.ts")).toBe(true);
    folder.write(".pintle/tools/a.ts", "2");
    expect([is("a.ts"), is("b.ts")]).toEqual([false, true]);
    rmSync(folder.at(".pintle/tools/b.ts"));
    expect(is("b.ts")).toBe(false);
  });

  test.each([
    ["changed", (folder: ProjectFolder) => folder.write(".pintle/tools/pack/lib/x.ts", "2")],
    ["added", (folder: ProjectFolder) => folder.write(".pintle/tools/pack/lib/y.ts", "")],
    ["linked to from outside", (folder: ProjectFolder) => folder.link(".pintle/tools/pack/lib/z.ts", "/etc/hosts")],
    ["taken away", (folder: ProjectFolder) => rmSync(folder.at(".pintle/tools/pack/lib/x.ts"))],
  ])("so must all that is in its folder: a file was %s", (_what, change) => {
    using folder = projectFolder({ ".pintle/tools/pack/index.ts": "1", ".pintle/tools/pack/lib/x.ts": "1" });
    const inventory = look(folder);
    const entry = folder.at(".pintle/tools/pack/index.ts");
    expect(isUnchanged(inventory, entry)).toBe(true);
    change(folder);
    expect(isUnchanged(inventory, entry)).toBe(false);
  });

  test("a swap for a link to other code is seen", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1", "evil.ts": "2" });
    const inventory = look(folder);
    rmSync(folder.at(".pintle/tools/a.ts"));
    folder.link(".pintle/tools/a.ts", "../../evil.ts");
    expect(isUnchanged(inventory, folder.at(".pintle/tools/a.ts"))).toBe(false);
    folder.write("../outside.ts", "1"); // the same content, but it is unknown for how long
    rmSync(folder.at(".pintle/tools/a.ts"));
    folder.link(".pintle/tools/a.ts", "../../../outside.ts");
    expect(isUnchanged(inventory, folder.at(".pintle/tools/a.ts"))).toBe(false);
  });

  test("folders that share a linked one are judged each for itself", () => {
    using folder = projectFolder({ ".pintle/tools/a/index.ts": "1", ".pintle/tools/b/index.ts": "1", "lib/x.ts": "1" });
    folder.link(".pintle/tools/a/lib", "../../../lib");
    folder.link(".pintle/tools/b/lib", "../../../lib");
    const inventory = look(folder);
    const both = () => ["a", "b"].map((name) => isUnchanged(inventory, folder.at(`.pintle/tools/${name}/index.ts`)));
    expect(both()).toEqual([true, true]);
    folder.write("lib/x.ts", "2");
    expect(both()).toEqual([false, false]);
  });

  test("project code without a question is not included", () => {
    using folder = projectFolder({ ".pintle/tools/a.ts": "1", "src/evil.ts": "1" });
    const inventory = look(folder);
    expect(isUnchanged(inventory, folder.at("src/evil.ts"))).toBe(false);
    expect(isUnchanged(inventory, folder.at("src/gone.ts"))).toBe(false);
    mkdirSync(folder.at("empty"));
    expect(isUnchanged(inventory, folder.at("empty"))).toBe(false);
    expect(isSameContent(inventory, folder.at("src/evil.ts"), "1")).toBe(false);
  });
});

test("bytes that were read can be compared themselves", () => {
  using folder = projectFolder({ ".pintle/tools/a.ts": "1" });
  const inventory = look(folder);
  const path = folder.at(".pintle/tools/a.ts");
  expect([isSameContent(inventory, path, "1"), isSameContent(inventory, path, Buffer.from("2"))]).toEqual([
    true,
    false,
  ]);
});

test("of too many files those that were looked at must be the same, the others are taken as they are", () => {
  using folder = projectFolder({ ".pintle/tools/a.ts": "1", ".pintle/tools/b.ts": "1" });
  const inventory = takeInventory({ ...folder, limits: { maxEntries: 2, maxBytes: 1000 } }) as Inventory;
  const is = (name: string) => isUnchanged(inventory, folder.at(`.pintle/tools/${name}`));
  expect([is("a.ts"), is("b.ts")]).toEqual([true, true]);
  folder.write(".pintle/tools/a.ts", "2");
  folder.write("evil.ts", "2");
  expect([is("a.ts"), is("b.ts"), isUnchanged(inventory, folder.at("evil.ts"))]).toEqual([false, true, false]);
});

test.each([
  ["after it", "z.bin", false],
  ["before it, so that nobody ever looked", "a.bin", true],
])(
  "in a folder with too much in it, %s: the module itself must be the same if it is known",
  (_where, name, expected) => {
    using folder = projectFolder({ ".pintle/tools/pack/b.ts": "1", ".pintle/tools/pack/index.ts": "1" });
    truncateSync(folder.write(`.pintle/tools/pack/${name}`, ""), 65 * 1024 * 1024);
    const inventory = look(folder);
    const entry = folder.at(".pintle/tools/pack/index.ts");
    expect([inventory.reach, isUnchanged(inventory, entry)]).toEqual(["process", true]);
    folder.write(".pintle/tools/pack/index.ts", "2");
    expect(isUnchanged(inventory, entry)).toBe(expected);
  },
);
