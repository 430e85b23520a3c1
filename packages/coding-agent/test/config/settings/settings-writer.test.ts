import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Settings } from "../../../src/config/settings/settings.ts";
import { SettingsError } from "../../../src/config/settings/settings-error.ts";
import { SETTING_KEYS, settingRow } from "../../../src/config/settings/settings-schema.ts";
import { settingsPlaces } from "../../support/config/settings-places.ts";
import { where } from "../../support/where.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("flush", () => {
  test("creates the file and its directory, for the user alone", async () => {
    using places = settingsPlaces();
    const home = join(places.root, "new", "home");
    const settings = Settings.create(places.cwd, home);
    settings.set("retry.maxRetries", 5);
    await settings.flush();
    const file = join(home, "settings.json");
    expect(readFileSync(file, "utf8")).toBe('{\n  "retry.maxRetries": 5\n}\n');
    expect([modeOf(file), modeOf(home)]).toEqual([0o600, 0o700]);
    expect(readdirSync(home)).toEqual(["settings.json"]);
  });

  test("changes single keys and keeps everything else, including wrong and unknown values", async () => {
    const text = '{\n\t"theme": {"x": [1, null]},\n\t"retry": {"maxRetries": 1, "enabled": "maybe"},\n\t"todo": 7\n}';
    using places = settingsPlaces({ user: text });
    const settings = places.open();
    settings.set("retry.maxRetries", 2);
    settings.set("todo.eager", true);
    await settings.flush();
    expect(JSON.stringify(places.read(places.user))).toBe(
      '{"theme":{"x":[1,null]},"retry":{"maxRetries":2,"enabled":"maybe"},"todo":7,"todo.eager":true}',
    );
    expect(readFileSync(places.user, "utf8")).toStartWith('{\n\t"theme": {\n\t\t"x"');
  });

  test("writes every kind of value so that it can be read again", async () => {
    using places = settingsPlaces();
    const settings = places.open();
    settings.set("defaultModel", "a: #b");
    settings.set("skills", ["x", "y"]);
    settings.set("retry.fallbackChains", { default: ["a"], "x.y": [] });
    settings.set("tasks.todoClearDelay", -0.5);
    settings.set("todo.reminders", false);
    settings.set("todo.reminders.max", 9);
    await settings.flush();
    const again = places.open();
    for (const key of SETTING_KEYS) expect(again.get(key)).toEqual(settings.get(key) as never);
    expect(again.get("retry.fallbackChains")).toEqual({ default: ["a"], "x.y": [] });
    expect(places.problems).toEqual([]);
  });

  test("removes keys that are set to undefined", async () => {
    using places = settingsPlaces({ user: { "retry.maxRetries": 1, retry: { enabled: false }, x: 1 } });
    const settings = places.open();
    settings.set("retry.maxRetries", undefined);
    settings.set("retry.enabled", undefined);
    expect([settings.get("retry.maxRetries"), settings.get("retry.enabled")]).toEqual([3, true]);
    await settings.flush();
    expect(places.read(places.user)).toEqual({ retry: {}, x: 1 });
  });

  test("keeps what others have written in the meantime", async () => {
    using places = settingsPlaces({ user: { "retry.maxRetries": 1 } });
    const settings = places.open();
    places.write(places.user, { "retry.maxRetries": 2, "ttsr.repeatGap": 2 });
    settings.set("todo.eager", true);
    await settings.flush();
    expect(places.read(places.user)).toEqual({ "retry.maxRetries": 2, "ttsr.repeatGap": 2, "todo.eager": true });
  });

  test("does nothing if nothing was set, or the value is already there", async () => {
    using places = settingsPlaces({ user: '{"retry.maxRetries": 1}' });
    const settings = places.open();
    const before = statSync(places.user);
    await settings.flush();
    settings.override("retry.maxRetries", 9);
    await settings.flush();
    settings.set("retry.maxRetries", 1);
    settings.set("skills", undefined);
    await settings.flush();
    expect(statSync(places.user).ino).toBe(before.ino);
    expect(readFileSync(places.user, "utf8")).toBe('{"retry.maxRetries": 1}');
  });

  test("keeps the mode", async () => {
    using places = settingsPlaces({ user: {} });
    chmodSync(places.user, 0o640);
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await settings.flush();
    expect(modeOf(places.user)).toBe(0o640);
  });

  test.each([
    ["user", "pintle.conf", '{"x": 1}', '{\n  "x": 1,\n  "retry.maxRetries": 1\n}\n'],
    ["yaml", "pintle.yaml", "x: 1", "x: 1\nretry.maxRetries: 1\n"],
  ] as const)("writes through a link, leaves it in place, and goes by its name: %s", async (link, name, old, text) => {
    using places = settingsPlaces();
    const real = join(places.root, "dotfiles", name);
    places.write(real, old);
    symlinkSync(real, places[link]);
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await settings.flush();
    expect(lstatSync(places[link]).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe(text);
  });

  test("never writes to the project's file", async () => {
    using places = settingsPlaces({ project: { "retry.maxRetries": 1 } });
    const settings = places.open();
    settings.set("retry.maxRetries", 2);
    await settings.flush();
    expect(places.read(places.project)).toEqual({ "retry.maxRetries": 1 });
    expect(settings.get("retry.maxRetries")).toBe(1);
  });

  test("a wrong value is rejected and nothing is written", async () => {
    using places = settingsPlaces({ user: "{}" });
    const settings = places.open();
    expect(() => settings.set("retry.maxRetries", -1)).toThrow("retry.maxRetries must be an integer of at least 0");
    await settings.flush();
    expect(readFileSync(places.user, "utf8")).toBe("{}");
  });
});

describe("a file that cannot be parsed stays unchanged", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["bad JSON", '{"mine": 1,,}', "is not valid JSON at line 1, column 12; it was not changed"],
    ["an empty file", "", "is not valid JSON at line 1, column 1; it was not changed"],
    ["a list", "[1]", "must contain an object; it was not changed"],
    ["no text", Uint8Array.from([0xff]), "is not UTF-8 text; it was not changed"],
    ["2 MB", `{"x":"${"x".repeat(2_000_000)}"}`, "is larger than 1024 KiB and is not read; it was not changed"],
    [
      "nesting whose indentation would fill the disk",
      `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "is nested too deeply; it was not changed",
    ],
  ])("%s", async (_name, content, problem) => {
    using places = settingsPlaces({ user: content });
    const before = readFileSync(places.user);
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    const error = await settings.flush().catch((reason) => reason);
    expect(error).toBeInstanceOf(SettingsError);
    expect(error.message).toBe(`${places.user}: ${problem}`);
    expect(readFileSync(places.user).equals(before)).toBe(true);
    expect(readdirSync(places.home)).toEqual(["settings.json"]);
    expect(settings.get("retry.maxRetries")).toBe(1);
  });

  test("and once it is repaired the change is written", async () => {
    using places = settingsPlaces({ user: "{" });
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await expect(settings.flush()).rejects.toThrow("is not valid JSON");
    places.write(places.user, { x: 1 });
    await settings.flush();
    expect(places.read(places.user)).toEqual({ x: 1, "retry.maxRetries": 1 });
  });

  test.each(["directory", "link to nowhere"])("a %s", async (kind) => {
    using places = settingsPlaces();
    if (kind === "directory") mkdirSync(places.user);
    else symlinkSync("nowhere.json", places.user);
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await expect(settings.flush()).rejects.toThrow(
      `${places.user}: ${kind === "directory" ? "is not a file; it was not changed" : "cannot be written (ENOENT)"}`,
    );
    expect(readdirSync(places.home)).toEqual(["settings.json"]);
  });

  test("a home directory that is a file", async () => {
    using places = settingsPlaces();
    const home = join(places.root, "file");
    writeFileSync(home, "x");
    const settings = Settings.create(places.cwd, home);
    settings.set("retry.maxRetries", 1);
    await expect(settings.flush()).rejects.toThrow(/settings\.json: cannot be written \((ENOTDIR|EEXIST)\)$/);
  });

  where(process.getuid?.() !== 0, "not as root").test("a file the user has protected against writing", async () => {
    using places = settingsPlaces({ user: {} });
    chmodSync(places.user, 0o400);
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await expect(settings.flush()).rejects.toThrow("cannot be written (EACCES)");
  });
});

describe("settings.yml", () => {
  test("is changed if that loses nothing", async () => {
    using places = settingsPlaces({ yaml: "retry:\n  maxRetries: 1\nnote: 'yes'\nweird: '1e3'\n" });
    const settings = places.open();
    settings.set("retry.maxRetries", 2);
    settings.set("task.agentModelOverrides", { plan: "x" });
    await settings.flush();
    expect(Bun.YAML.parse(readFileSync(places.yaml, "utf8"))).toEqual({
      retry: { maxRetries: 2 },
      note: "yes",
      weird: "1e3",
      "task.agentModelOverrides": { plan: "x" },
    });
    expect(existsSync(places.user)).toBe(false);
  });

  test("keeps comments, order and quotes", async () => {
    using places = settingsPlaces({
      yaml: "# mine\nretry: # how often\n  maxRetries: 1 # not more\n  enabled: true\n\n# last\nnote: 'yes'\nskills: [a, b]\n",
    });
    const settings = places.open();
    settings.set("retry.maxRetries", 2);
    settings.set("retry.enabled", undefined);
    settings.set("defaultModel", "a: #b");
    await settings.flush();
    expect(readFileSync(places.yaml, "utf8")).toBe(
      "# mine\nretry:\n  # how often\n  maxRetries: 2 # not more\n\n# last\nnote: 'yes'\nskills: [a, b]\ndefaultModel: \"a: #b\"\n",
    );
    expect(places.open().get("defaultModel")).toBe("a: #b");
  });

  test("with anchors is left alone if a change would affect other keys", async () => {
    const yaml = "base: &b\n  maxRetries: 1\nretry: *b\n";
    using places = settingsPlaces({ yaml });
    const settings = places.open();
    settings.set("retry.maxRetries", 2);
    const failed = await settings.flush().then(
      () => "",
      (error: Error) => error.message,
    );
    const after = readFileSync(places.yaml, "utf8");
    if (failed) expect(after).toBe(yaml);
    else expect(Bun.YAML.parse(after)).toEqual({ base: { maxRetries: 1 }, retry: { maxRetries: 2 } });
  });
});

test("settings.json with comments keeps them, and its order", async () => {
  using places = settingsPlaces({
    user: '{\n\t// mine\n\t"retry": {\n\t\t"maxRetries": 1, // not more\n\t\t"enabled": true,\n\t},\n\t"x": [1, 2], /* last */\n}\n',
  });
  const settings = places.open();
  settings.set("retry.maxRetries", 2);
  settings.set("retry.enabled", undefined);
  settings.set("todo.eager", true);
  await settings.flush();
  expect(readFileSync(places.user, "utf8")).toBe(
    '{\n\t// mine\n\t"retry": {\n\t\t"maxRetries": 2, // not more\n\t},\n\t"x": [1, 2], /* last */\n\t"todo.eager": true\n}\n',
  );
  const again = places.open();
  expect([again.get("retry.maxRetries"), again.origin("retry.enabled").layer, again.get("todo.eager")]).toEqual([
    2,
    "default",
    true,
  ]);
});

describe("concurrent writers", () => {
  test("two objects keep each other's keys", async () => {
    using places = settingsPlaces({ user: { x: 1 } });
    const [one, other] = [places.open(), places.open()];
    one.set("retry.maxRetries", 1);
    other.set("ttsr.repeatGap", 2);
    await Promise.all([one.flush(), other.flush(), one.flush()]);
    expect(places.read(places.user)).toEqual({ x: 1, "retry.maxRetries": 1, "ttsr.repeatGap": 2 });
  });

  test("a key that is set while the file is locked is not lost", async () => {
    using places = settingsPlaces({ user: {} });
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    const lock = `${places.user}.lock`;
    writeFileSync(lock, "");
    const flushed = settings.flush();
    settings.set("ttsr.repeatGap", 2);
    await Bun.file(lock).delete();
    await flushed;
    await settings.flush();
    expect(places.read(places.user)).toEqual({ "retry.maxRetries": 1, "ttsr.repeatGap": 2 });
  });

  test("the lock of a dead process is removed eventually", async () => {
    using places = settingsPlaces({ user: {} });
    const lock = `${places.user}.lock`;
    writeFileSync(lock, "");
    utimesSync(lock, new Date(0), new Date(0));
    const settings = places.open();
    settings.set("retry.maxRetries", 1);
    await settings.flush();
    expect(readdirSync(places.home)).toEqual(["settings.json"]);
  });

  test("processes that write repeatedly keep all their keys, and no reader sees a partial file", async () => {
    using places = settingsPlaces({ user: { x: 1 } });
    const keys = ["retry.maxRetries", "ttsr.repeatGap", "todo.reminders.max", "compaction.reserveTokens"] as const;
    const module = JSON.stringify(join(import.meta.dir, "../../../src/config/settings/settings.ts"));
    const rounds = 30;
    const children = keys.map((key) =>
      Bun.spawn(
        [
          process.execPath,
          "-e",
          `import { Settings } from ${module};
           const settings = Settings.create(${JSON.stringify(places.cwd)}, ${JSON.stringify(places.home)});
           for (let round = 1; round <= ${rounds}; round += 1) {
             settings.set(${JSON.stringify(key)}, round);
             await settings.flush();
           }`,
        ],
        { stdout: "ignore", stderr: "pipe" },
      ),
    );
    let isRunning = true;
    const done = Promise.all(children.map((child) => child.exited)).finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      expect(places.read(places.user)).toMatchObject({ x: 1 });
      await Bun.sleep(1);
    }
    expect(await done).toEqual(keys.map(() => 0));
    expect(places.read(places.user)).toEqual({ x: 1, ...Object.fromEntries(keys.map((key) => [key, rounds])) });
    expect(readdirSync(places.home)).toEqual(["settings.json"]);
  });
});

test("writing does not affect defaults", async () => {
  using places = settingsPlaces();
  const settings = places.open();
  settings.set("task.agentModelOverrides", { a: "b" });
  await settings.flush();
  expect(settingRow("task.agentModelOverrides").default).toEqual({});
});
