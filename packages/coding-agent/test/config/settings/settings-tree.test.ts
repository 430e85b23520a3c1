import { describe, expect, test } from "bun:test";
import type { SettingKey } from "../../../src/config/settings/settings-schema.ts";
import { changeTree, readTree, type SettingsTree } from "../../../src/config/settings/settings-tree.ts";

const values = (tree: SettingsTree) => Object.fromEntries(readTree(tree).values);

describe("reading", () => {
  test.each<[string, SettingsTree, Record<string, unknown>]>([
    ["nothing", {}, {}],
    ["dotted", { "retry.maxRetries": 2 }, { "retry.maxRetries": 2 }],
    ["nested", { retry: { maxRetries: 2 } }, { "retry.maxRetries": 2 }],
    ["two levels deep", { task: { isolation: { mode: "none" } } }, { "task.isolation.mode": "none" }],
    ["dotted inside a group", { task: { "isolation.mode": "none" } }, { "task.isolation.mode": "none" }],
    ["a group with a dotted name", { "task.isolation": { mode: "none" } }, { "task.isolation.mode": "none" }],
    [
      "both in one file",
      { retry: { enabled: false }, "retry.maxRetries": 2 },
      { "retry.enabled": false, "retry.maxRetries": 2 },
    ],
    ["a list is a value", { skills: ["a"] }, { skills: ["a"] }],
    [
      "an object with free names is a value",
      { "task.agentModelOverrides": { "a.b": "c" } },
      { "task.agentModelOverrides": { "a.b": "c" } },
    ],
    ["null and undefined leave a key out", { retry: { enabled: null }, todo: null, skills: undefined }, {}],
    ["wrong values are not its business", { "retry.maxRetries": "many" }, { "retry.maxRetries": "many" }],
  ])("%s %j", (_name, tree, expected) => {
    expect(readTree(tree)).toEqual({
      values: new Map(Object.entries(expected)) as never,
      problems: [],
      unknown: [],
    });
  });

  test.each<[SettingsTree, Record<string, unknown>]>([
    [{ todo: { reminders: false } }, { "todo.reminders": false }],
    [{ todo: { reminders: { max: 5 } } }, { "todo.reminders.max": 5 }],
    [{ todo: { reminders: true, "reminders.max": 5 } }, { "todo.reminders": true, "todo.reminders.max": 5 }],
    [
      { "todo.reminders": true, "todo.reminders.max": 5 },
      { "todo.reminders": true, "todo.reminders.max": 5 },
    ],
    [{ "todo.reminders": { max: 5 } }, { "todo.reminders.max": 5 }],
    [
      { "todo.reminders": false, todo: { reminders: { max: 5 } } },
      { "todo.reminders": false, "todo.reminders.max": 5 },
    ],
  ])("todo.reminders is a key and a group: %j", (tree, expected) => {
    expect(values(tree)).toEqual(expected);
    expect(readTree(tree).unknown).toEqual([]);
  });

  test("if a key occurs twice, the later value wins and a problem is reported", () => {
    const problems = ["retry.maxRetries must be written once, dotted or nested"];
    const trees = [
      { retry: { maxRetries: 1 }, "retry.maxRetries": 2 },
      { "retry.maxRetries": 1, retry: { maxRetries: 2 } },
    ];
    for (const tree of trees)
      expect(readTree(tree)).toEqual({ values: new Map([["retry.maxRetries", 2]]) as never, problems, unknown: [] });
  });

  test("a value where a group is expected", () => {
    expect(readTree({ retry: true, task: { isolation: ["x"] } }).problems).toEqual([
      "retry must be an object",
      "task.isolation must be an object",
    ]);
  });

  test("unknown keys are named by their outermost unknown part", () => {
    const tree = { theme: { dark: true }, retry: { maxRetires: 1, deep: { er: 1 } }, "": 1, "retry.": 1, a: { b: {} } };
    expect(readTree(tree).unknown).toEqual(["theme", "retry.maxRetires", "retry.deep", "", "retry.", "a"]);
  });

  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
    "%s is an unknown key like any other",
    (name) => {
      const tree = JSON.parse(`{"${name}": {"enabled": true}, "retry": {"${name}": {"enabled": false}}}`);
      expect(readTree(tree)).toEqual({ values: new Map(), problems: [], unknown: [name, `retry.${name}`] });
    },
  );

  test("nesting deeper than any stack", () => {
    const depth = 200_000;
    const deep = JSON.parse(`${'{"retry":'.repeat(depth)}1${"}".repeat(depth)}`);
    expect(readTree(deep)).toEqual({ values: new Map(), problems: [], unknown: ["retry.retry"] });
  });
});

describe("changing one key", () => {
  test.each<[string, SettingsTree, SettingKey, unknown, SettingsTree]>([
    ["in an empty file", {}, "retry.maxRetries", 2, { "retry.maxRetries": 2 }],
    ["where it stands, nested", { retry: { maxRetries: 1 } }, "retry.maxRetries", 2, { retry: { maxRetries: 2 } }],
    ["where it stands, dotted", { "retry.maxRetries": 1 }, "retry.maxRetries", 2, { "retry.maxRetries": 2 }],
    [
      "in all its places",
      { "retry.maxRetries": 1, retry: { maxRetries: 3 } },
      "retry.maxRetries",
      2,
      { "retry.maxRetries": 2, retry: { maxRetries: 2 } },
    ],
    ["in its group", { retry: { enabled: true } }, "retry.maxRetries", 2, { retry: { enabled: true, maxRetries: 2 } }],
    [
      "in the innermost group",
      { task: { isolation: {} } },
      "task.isolation.mode",
      "none",
      { task: { isolation: { mode: "none" } } },
    ],
    [
      "in the outer group",
      { task: { eager: true } },
      "task.isolation.mode",
      "none",
      { task: { eager: true, "isolation.mode": "none" } },
    ],
    ["beside a group that is none", { retry: 5 }, "retry.maxRetries", 2, { retry: 5, "retry.maxRetries": 2 }],
    ["in the place of null", { retry: { maxRetries: null } }, "retry.maxRetries", 2, { retry: { maxRetries: 2 } }],
    [
      "taken out",
      { a: 1, retry: { maxRetries: 1, enabled: true } },
      "retry.maxRetries",
      undefined,
      { a: 1, retry: { enabled: true } },
    ],
    ["taken out where it is not", { a: 1 }, "retry.maxRetries", undefined, { a: 1 }],
    [
      "beside its parent",
      { todo: { reminders: true } },
      "todo.reminders.max",
      5,
      { todo: { reminders: true, "reminders.max": 5 } },
    ],
    [
      "in its parent",
      { todo: { reminders: { max: 1 } } },
      "todo.reminders.max",
      5,
      { todo: { reminders: { max: 5 } } },
    ],
    [
      "in the place of its children, which move beside it",
      { todo: { eager: true, reminders: { max: 5, later: 1 }, enabled: true } },
      "todo.reminders",
      false,
      { todo: { eager: true, reminders: false, "reminders.max": 5, "reminders.later": 1, enabled: true } },
    ],
    [
      "a whole object",
      { "task.agentModelOverrides": { a: "b" } },
      "task.agentModelOverrides",
      { c: "d" },
      { "task.agentModelOverrides": { c: "d" } },
    ],
  ])("%s", (_name, tree, key, value, expected) => {
    const before = structuredClone(tree);
    const changed = changeTree(tree, key, value);
    expect(changed).toEqual(expected);
    expect(JSON.stringify(changed)).toBe(JSON.stringify(expected)); // the others keep their order as well
    expect(tree).toEqual(before);
    expect(readTree(changed).values.get(key)).toEqual(value);
  });

  test("a member called __proto__ stays a member", () => {
    const tree = JSON.parse('{"__proto__": {"polluted": 1}, "retry": {"__proto__": 2}}');
    expect(JSON.stringify(changeTree(tree, "retry.maxRetries", 2))).toBe(
      '{"__proto__":{"polluted":1},"retry":{"__proto__":2,"maxRetries":2}}',
    );
  });
});
