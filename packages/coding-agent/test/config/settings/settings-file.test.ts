import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { Settings } from "../../../src/config/settings/settings.ts";
import { SETTING_KEYS, settingRow } from "../../../src/config/settings/settings-schema.ts";
import { settingsPlaces } from "../../support/config/settings-places.ts";

const SECRET = "sk-never-shown";
const notJson = (column: number) => `is not valid JSON at line 1, column ${column}`;

/**
 * Checks that everything is as without a file, that one problem is reported, and that nothing in the file is quoted.
 */
function expectDefaults(places: ReturnType<typeof settingsPlaces>, problems: string[]): void {
  const settings = places.open();
  expect(SETTING_KEYS.filter((key) => settings.origin(key).layer !== "default")).toEqual([]);
  expect(places.problems).toEqual(problems);
  expect(places.problems.join()).not.toContain(SECRET);
}

const BAD_FILES: [string, string | Uint8Array, string][] = [
  ["a broken object", `{"defaultModel": "${SECRET}`, notJson(18)],
  ["a second value", `{} "${SECRET}"`, notJson(4)],
  ["two commas", '{"x": 1,, "y": 2}', notJson(9)],
  ["nothing", "", notJson(1)],
  ["a list", `["${SECRET}"]`, "must contain an object"],
  ["null", "null", "must contain an object"],
  ["text", `"${SECRET}"`, "must contain an object"],
  ["bytes that are no text", Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]), "is not UTF-8 text"],
  ["a NUL byte", "{\0}", notJson(2)],
  ["brackets without end", "[".repeat(100_000), "is not valid JSON: it is nested too deeply"],
  ["10 MB", `{"retry.enabled": false, "x": "${"x".repeat(10_000_000)}"}`, "is larger than 1024 KiB and is not read"],
];

test("comments and trailing commas are read", () => {
  using places = settingsPlaces({ user: '{\n  // why\n  "retry": { "maxRetries": 7, /* x */ },\n}\n' });
  expect(places.open().get("retry.maxRetries")).toBe(7);
  expect(places.problems).toEqual([]);
});

describe.each([
  ["user", "home/settings.json"],
  ["project", "project/.pintle/settings.json"],
] as const)("a bad %s file", (place, name) => {
  test.each(BAD_FILES)("with %s", (_name, content, problem) => {
    using places = settingsPlaces({ [place]: content });
    expectDefaults(places, [`${name}: ${problem}`]);
  });

  test("that is a directory", () => {
    using places = settingsPlaces();
    mkdirSync(places[place], { recursive: true });
    expectDefaults(places, [`${name}: is not a file`]);
  });

  test("that is a pipe without a writer", () => {
    using places = settingsPlaces();
    mkdirSync(dirname(places[place]), { recursive: true });
    expect(Bun.spawnSync(["mkfifo", places[place]]).exitCode).toBe(0);
    expectDefaults(places, [`${name}: is not a file`]);
  });

  test("that is an endless device", () => {
    using places = settingsPlaces();
    mkdirSync(dirname(places[place]), { recursive: true });
    symlinkSync("/dev/zero", places[place]);
    const problem = place === "user" ? "is not a file" : "links outside the project and is not read";
    expectDefaults(places, [`${name}: ${problem}`]);
  });

  test("below something that is not a directory", () => {
    using places = settingsPlaces({ user: "{}" });
    const file = `${places.root}/file`;
    places.write(file, "x");
    symlinkSync(file, place === "user" ? `${places.root}/link` : dirname(places.project));
    const home = place === "user" ? `${places.root}/link` : places.home;
    const problems: string[] = [];
    expect(Settings.create(places.cwd, home, { report: (text) => problems.push(text) }).get("retry.enabled")).toBe(
      true,
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toEndWith("cannot be read (ENOTDIR)");
  });

  test("with hostile names changes no object of the program", () => {
    const member = '{"enabled": false, "polluted": true, "a": "b"}';
    const names = ["__proto__", "constructor", "prototype"].map((key) => `"${key}": ${member}`).join(", ");
    const content = `{${names}, "retry": {${names}}, "retry.fallbackChains": {"__proto__": ["x"]}, "constructor.prototype": 1}`;
    using places = settingsPlaces({ [place]: content });
    const settings = places.open();
    expect(settings.get("retry.enabled")).toBe(true);
    expect(Object.keys(settings.get("retry.fallbackChains"))).toEqual([]);
    expect([({} as { polluted?: unknown }).polluted, (Object as { polluted?: unknown }).polluted]).toEqual([
      undefined,
      undefined,
    ]);
    expect(places.problems).toEqual([
      expect.stringContaining(": unknown settings are ignored: __proto__, constructor,"),
    ]);
  });
});

describe("nesting deeper than any stack", () => {
  const depth = 200_000;
  const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;

  test.each(["retry.maxRetries", "task.agentModelOverrides", "skills", "interruptMode"] as const)(
    "in place of %s",
    (key) => {
      using places = settingsPlaces({ user: `{"${key}": ${deep}, "retry.enabled": false, "unknown": ${deep}}` });
      const settings = places.open();
      expect(settings.get("retry.enabled")).toBe(false);
      expect(settings.origin(key).layer).toBe("default");
      expect(places.problems).toEqual([
        expect.stringContaining(`home/settings.json: ${key} must be `),
        "home/settings.json: unknown settings are ignored: unknown",
      ]);
    },
  );
});

describe("wrong values", () => {
  test("each is named once, and the others apply", () => {
    using places = settingsPlaces({
      user: {
        retry: { enabled: "yes", maxRetries: 1e9, baseDelayMs: -1, fallbackChains: { a: "b" } },
        todo: [],
        skills: SECRET,
        "task.agentModelOverrides": { plan: 1 },
        "host.dialogTimeoutMs": 0,
        defaultModel: 7,
        "ttsr.repeatGap": 4,
      },
    });
    const settings = places.open();
    expect([settings.get("retry.maxRetries"), settings.get("ttsr.repeatGap")]).toEqual([1e9, 4]);
    expect(places.problems).toEqual(
      [
        "todo must be an object",
        "retry.enabled must be true or false",
        "retry.baseDelayMs must be an integer from 0 to 86400000",
        "retry.fallbackChains must be an object whose values are lists of strings",
        "skills must be a list of strings",
        "task.agentModelOverrides must be an object whose values are strings",
        "host.dialogTimeoutMs must be an integer from 1000 to 86400000",
        "defaultModel must be a string",
      ].map((problem) => `home/settings.json: ${problem}`),
    );
  });
});

describe("unknown keys", () => {
  const user = { theme: "dark", retry: { maxRetires: 1 } };

  test("are reported, with a suggestion", () => {
    using places = settingsPlaces({ user, project: { "\u001b[2J": 1 } });
    const settings = places.open();
    expect(settings.problems).toEqual([]);
    expect(places.problems).toEqual([
      "home/settings.json: unknown settings are ignored: theme (did you mean terminal.theme?), retry.maxRetires (did you mean retry.maxRetries?)",
      "project/.pintle/settings.json: unknown settings are ignored: ?[2J",
    ]);
  });

  test("that were removed are reported with the reason", () => {
    using places = settingsPlaces({ user: { compaction: { reuseCache: false, enabled: false } } });
    expect(places.open().get("compaction.enabled")).toBe(false);
    expect(places.problems).toEqual([
      "home/settings.json: unknown settings are ignored: compaction.reuseCache (removed: pintle uses the cache for summaries whenever that is cheaper)",
    ]);
  });

  test("are counted when there are many", () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`key${index}`, index]));
    using places = settingsPlaces({ user: many });
    places.open();
    expect(places.problems).toHaveLength(1);
    expect(places.problems[0]).toEndWith("key18, key19 and 29980 more");
  });
});

describe("a mistake in the settings that restrict tools", () => {
  const WRONG: [object, string][] = [
    [{ "permisions.mode": "plan" }, "unknown setting permisions.mode (did you mean permissions.mode?)"],
    [{ permisions: { mode: "plan" } }, "unknown setting permisions (did you mean permissions?)"],
    [{ permission: { mode: "plan" } }, "unknown setting permission (did you mean permissions?)"],
    [{ Permissions: { mode: "plan" } }, "unknown setting Permissions (did you mean permissions?)"],
    [{ " permissions.mode": "plan" }, "unknown setting  permissions.mode (did you mean permissions.mode?)"],
    [{ permissionMode: "plan" }, "unknown setting permissionMode (did you mean permissions.mode?)"],
    [{ permissions: { mod: "plan" } }, "unknown setting permissions.mod (did you mean permissions.mode?)"],
    [{ permissions: { deny: ["x"] } }, "unknown setting permissions.deny"],
    [{ sandbx: { network: "off" } }, "unknown setting sandbx (did you mean sandbox?)"],
    [{ "sandbox.hidden": ["x"] }, "unknown setting sandbox.hidden (did you mean sandbox.hide?)"],
    [{ permissions: "plan" }, "permissions must be an object"],
    [{ "permissions.roots": "/srv" }, "permissions.roots must be a list of strings"],
    [{ "permissions.timeoutMs": "5s" }, "permissions.timeoutMs must be an integer from 1000 to 86400000"],
    [{ "permissions.maxDenials": -1 }, "permissions.maxDenials must be an integer from 0 to 1000"],
    [{ "sandbox.write": "cache" }, "sandbox.write must be a list of strings, added to that of weaker layers"],
  ];

  test.each(WRONG)("%j in the user's file is an error", (user, problem) => {
    using places = settingsPlaces({ user });
    const settings = places.open();
    expect(settings.problems.map((text) => text.replaceAll(`${places.root}/`, ""))).toEqual([
      expect.stringContaining(`home/settings.json: ${problem}`),
    ]);
    expect(places.problems).toEqual([expect.stringContaining(problem)]);
  });

  test.each(WRONG)("%j in a project's file is reported and changes nothing", (project) => {
    using places = settingsPlaces({ user: { "permissions.mode": "ask" }, project });
    const settings = places.open();
    expect(settings.problems).toEqual([]);
    expect(places.problems).toHaveLength(1);
    expect(SETTING_KEYS.filter((key) => settings.origin(key).layer === "project")).toEqual([]);
  });

  test("made while a session is open leaves its settings unchanged", () => {
    using places = settingsPlaces({ user: { "permissions.mode": "plan", "retry.maxRetries": 1 } });
    const settings = places.open();
    places.write(places.user, { "permissions.mode": "plann", "retry.maxRetries": 2 });
    settings.reload(places.cwd);
    expect([settings.get("permissions.mode"), settings.get("retry.maxRetries")]).toEqual(["plan", 1]);
    expect(settings.problems).toHaveLength(1);
    places.write(places.user, { "permissions.mode": "ask" });
    settings.reload(places.cwd);
    expect([settings.get("permissions.mode"), settings.problems]).toEqual(["ask", []]);
  });

  test("every row of the two groups is strict", () => {
    const groups = SETTING_KEYS.filter((key) => /^(permissions|sandbox)\./.test(key));
    expect(groups.filter((key) => !settingRow(key).isStrict)).toEqual([]);
  });
});

describe("settings.yml", () => {
  test("is read like settings.json", () => {
    const yaml = ["# mine", "retry:", "  maxRetries: 5", "  enabled:", "todo.reminders.max: 2", "skills: [a, b]"].join(
      "\n",
    );
    using places = settingsPlaces({ yaml });
    const settings = places.open();
    const keys = ["retry.maxRetries", "retry.enabled", "todo.reminders.max", "skills"] as const;
    expect(keys.map((key) => settings.get(key))).toEqual([5, true, 2, ["a", "b"]]);
    expect(settings.origin("skills")).toEqual({ layer: "user", file: places.yaml });
    expect(places.problems).toEqual([]);
  });

  test.each([
    ["retry: [", "is not valid YAML at line 1"],
    ["- a", "must contain an object"],
    ["[".repeat(200_000), "is not valid YAML at line 1"],
    [
      `a: &a [x, x]\n${"bcdefghijkl".replace(/./g, (name, at) => `${name}: &${name} [${`*${"abcdefghijk"[at]}, `.repeat(9)}]\n`)}`,
      "is not valid YAML", // it expands without limit
    ],
    ["a: 1\n---\nb: 2", "must contain an object"],
  ])("%#: a bad one", (yaml, problem) => {
    using places = settingsPlaces({ yaml });
    expectDefaults(places, [`home/settings.yml: ${problem}`]);
  });

  test.each(["", "# nothing yet\n", "---\n"])("%j is empty", (yaml) => {
    using places = settingsPlaces({ yaml });
    expectDefaults(places, []);
  });

  test("is ignored if settings.json exists", () => {
    using places = settingsPlaces({ user: { "retry.maxRetries": 1 }, yaml: "retry.maxRetries: 2" });
    expect(places.open().get("retry.maxRetries")).toBe(1);
    expect(places.problems).toEqual(["home/settings.yml: is ignored, because settings.json exists as well"]);
  });
});

test("a byte order mark does no harm", () => {
  using places = settingsPlaces({ user: '\uFEFF{"retry.maxRetries": 1}' });
  expect(places.open().get("retry.maxRetries")).toBe(1);
});
