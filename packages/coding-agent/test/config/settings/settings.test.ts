import { describe, expect, test } from "bun:test";
import { Settings } from "../../../src/config/settings/settings.ts";
import { SettingsError } from "../../../src/config/settings/settings-error.ts";
import { SETTING_KEYS, type SettingKey, settingRow } from "../../../src/config/settings/settings-schema.ts";
import { settingsPlaces } from "../../support/config/settings-places.ts";

describe("layers", () => {
  test("each overrides the previous one", () => {
    using places = settingsPlaces({
      user: { steeringMode: "all", followUpMode: "all", retry: { maxRetries: 5, baseDelayMs: 1 } },
      project: { followUpMode: "one-at-a-time", retry: { maxRetries: 2, baseDelayMs: 2, enabled: false } },
    });
    const settings = places.open();
    settings.applyOverrides({ retry: { baseDelayMs: 3 }, "ttsr.repeatGap": 3 });
    const keys = [
      "interruptMode",
      "steeringMode",
      "followUpMode",
      "retry.enabled",
      "retry.maxRetries",
      "retry.baseDelayMs",
      "ttsr.repeatGap",
    ] as const;
    expect(keys.map((key) => [key, settings.get(key), settings.origin(key)])).toEqual([
      ["interruptMode", "wait", { layer: "default" }],
      ["steeringMode", "all", { layer: "user", file: places.user }],
      ["followUpMode", "one-at-a-time", { layer: "project", file: places.project }],
      ["retry.enabled", false, { layer: "project", file: places.project }],
      ["retry.maxRetries", 2, { layer: "project", file: places.project }],
      ["retry.baseDelayMs", 3, { layer: "override" }],
      ["ttsr.repeatGap", 3, { layer: "override" }],
    ]);
    expect(places.problems).toEqual([]);
  });

  test("lists replace, objects merge by name", () => {
    using places = settingsPlaces({
      user: { skills: ["a", "b"], retry: { fallbackChains: { default: ["x"], smol: ["y"] } } },
      project: { skills: ["c"], "retry.fallbackChains": { smol: ["z"], plan: [] } },
    });
    const settings = places.open();
    settings.trustProject();
    expect(settings.get("skills")).toEqual(["c"]);
    expect(settings.get("retry.fallbackChains")).toEqual({ default: ["x"], smol: ["z"], plan: [] });
    settings.override("retry.fallbackChains", { default: ["w"] });
    expect(settings.get("retry.fallbackChains")).toEqual({ default: ["w"], smol: ["z"], plan: [] });
  });

  test("an empty string removes the value of a weaker layer", () => {
    using places = settingsPlaces({
      user: { defaultModel: "m", compaction: { model: "s" } },
      project: { "compaction.model": "" },
    });
    const settings = places.open();
    settings.trustProject();
    settings.applyOverrides({ defaultModel: "" });
    expect([settings.get("defaultModel"), settings.get("compaction.model")]).toEqual([undefined, undefined]);
    expect(settings.origin("compaction.model").layer).toBe("project");
  });

  test("a wrong value in a stronger layer leaves the weaker one in effect", () => {
    using places = settingsPlaces({
      user: { "retry.maxRetries": 7, interruptMode: "immediate" },
      project: { retry: { maxRetries: -1 }, interruptMode: "sometimes" },
    });
    const settings = places.open();
    expect([settings.get("retry.maxRetries"), settings.get("interruptMode")]).toEqual([7, "immediate"]);
    expect(places.problems).toEqual([
      "project/.pintle/settings.json: retry.maxRetries must be an integer of at least 0",
      "project/.pintle/settings.json: interruptMode must be immediate or wait",
    ]);
  });

  test("without files there are the defaults, and nothing is created", async () => {
    using places = settingsPlaces();
    const settings = Settings.create(`${places.root}/nowhere`, `${places.root}/no-home`);
    expect(SETTING_KEYS.map((key) => settings.origin(key).layer)).toEqual(SETTING_KEYS.map(() => "default"));
    await settings.flush();
    expect(await Array.fromAsync(new Bun.Glob("**").scan({ cwd: places.root, onlyFiles: false }))).not.toContain(
      "no-home",
    );
  });
});

describe("overrides", () => {
  test("apply to this object alone", async () => {
    using places = settingsPlaces({ user: { "retry.maxRetries": 1 } });
    const [one, other] = [places.open(), places.open()];
    one.override("retry.maxRetries", 9);
    await one.flush();
    expect([one.get("retry.maxRetries"), other.get("retry.maxRetries")]).toEqual([9, 1]);
    expect(places.read(places.user)).toEqual({ "retry.maxRetries": 1 });
  });

  test("can be removed", () => {
    const settings = Settings.inMemory({ interruptMode: "immediate" });
    settings.override("interruptMode", "wait");
    settings.override("interruptMode", undefined);
    expect(settings.get("interruptMode")).toBe("immediate");
  });

  test("override what is set later in the user's layer", () => {
    const settings = Settings.inMemory();
    settings.applyOverrides({ "retry.maxRetries": 1 });
    settings.set("retry.maxRetries", 2);
    expect(settings.get("retry.maxRetries")).toBe(1);
  });

  test("are applied together or not at all, and every wrong one is named", () => {
    const settings = Settings.inMemory();
    const apply = () => settings.applyOverrides({ retry: { maxRetries: 1, enabled: "no" }, todo: 1, nonsense: 2 });
    expect(apply).toThrow(
      new SettingsError("unknown setting nonsense\ntodo must be an object\nretry.enabled must be true or false"),
    );
    expect(settings.get("retry.maxRetries")).toBe(3);
  });

  test("do not share their lists and objects with the caller", () => {
    const settings = Settings.inMemory();
    const skills = ["a"];
    settings.override("skills", skills);
    skills.push("b");
    expect(settings.get("skills")).toEqual(["a"]);
    expect(() => (settings.get("skills") as string[]).push("c")).toThrow(TypeError);
    expect(() => ((settings.get("task.agentModelOverrides") as Record<string, string>).plan = "x")).toThrow(TypeError);
  });
});

describe("in memory", () => {
  test("values may be dotted or nested, and can be changed", async () => {
    const settings = Settings.inMemory({ retry: { maxRetries: 5 }, "todo.enabled": false });
    settings.set("todo.enabled", true);
    await settings.flush();
    settings.reload("/");
    expect([settings.get("retry.maxRetries"), settings.get("todo.enabled"), settings.project]).toEqual([
      5,
      true,
      undefined,
    ]);
  });

  test("wrong values are rejected", () => {
    expect(() => Settings.inMemory({ interruptMode: "never" })).toThrow(SettingsError);
    expect(() => Settings.inMemory({ foo: 1 })).toThrow("unknown setting foo");
  });
});

describe("RPC mode", () => {
  /** A value other than the default for every row. */
  function otherValue(key: SettingKey): unknown {
    const { type, default: standard } = settingRow(key);
    const candidates = [
      true,
      false,
      1,
      2,
      5,
      4242,
      90,
      "x",
      ["x"],
      { x: "y" },
      { x: ["y"] },
      [{ effect: "deny", tool: "x" }],
      ...type.expected.split(" or "),
    ];
    return candidates.find((value) => type.read(value) && !Bun.deepEquals(value, standard));
  }
  const others = Object.fromEntries(SETTING_KEYS.map((key) => [key, otherValue(key)]));
  /** The value after reading such a file: most values replace the default, some accumulate across layers. */
  function effective(key: SettingKey): unknown {
    const { type, default: standard } = settingRow(key);
    const merge = type.merge as ((below: unknown, above: unknown) => unknown) | undefined;
    return merge ? merge(standard, others[key]) : others[key];
  }
  const isReset = (key: SettingKey) => settingRow(key).resetInRpc === true;

  test.each(["user", "project"] as const)("the %s file applies to everything except the reset keys", (place) => {
    using places = settingsPlaces({ [place]: others });
    const settings = places.open({ rpc: true });
    settings.trustProject();
    const keys = SETTING_KEYS.filter((key) => place === "user" || settingRow(key).project !== "never");
    for (const key of keys) {
      const expected = isReset(key) ? settingRow(key).default : key === "models.probeLocal" ? false : effective(key);
      expect([key, settings.get(key)]).toEqual([key, expected] as never);
    }
  });

  test("outside RPC mode they all apply", () => {
    using places = settingsPlaces({ user: others });
    const settings = places.open();
    for (const key of SETTING_KEYS) expect([key, settings.get(key)]).toEqual([key, effective(key)] as never);
    expect(places.problems).toEqual([]);
  });

  test("explicit values win", () => {
    using places = settingsPlaces({
      user: { "todo.enabled": true, "task.maxConcurrency": 4, models: { probeLocal: false } },
    });
    const settings = places.open({ rpc: true });
    settings.applyOverrides({ todo: { enabled: false }, "models.probeLocal": true });
    settings.override("task.maxConcurrency", 2);
    expect([
      settings.get("todo.enabled"),
      settings.get("models.probeLocal"),
      settings.get("task.maxConcurrency"),
    ]).toEqual([false, true, 2]);
  });

  test("what an embedder passes in memory is explicit", () => {
    const settings = Settings.inMemory({ "todo.enabled": false }, { rpc: true });
    expect([settings.get("todo.enabled"), settings.get("models.probeLocal")]).toEqual([false, false]);
  });

  test("a user's list of models for subagents does not come back by merging", () => {
    using places = settingsPlaces({ user: { "task.agentModelOverrides": { a: "b" } } });
    expect(places.open({ rpc: true }).get("task.agentModelOverrides")).toEqual({});
  });
});

describe("reloading", () => {
  test("reads changes, and keeps overrides and unwritten values", () => {
    using places = settingsPlaces({
      user: { "retry.maxRetries": 1, "ttsr.repeatGap": 1, "todo.eager": true, skills: ["a"] },
    });
    const settings = places.open();
    settings.override("retry.maxRetries", 9);
    settings.set("ttsr.repeatGap", 9);
    settings.set("todo.eager", undefined);
    places.write(places.user, { "retry.maxRetries": 2, "ttsr.repeatGap": 2, "todo.eager": true, skills: ["b"] });
    settings.reload(places.cwd);
    const keys = ["retry.maxRetries", "ttsr.repeatGap", "todo.eager", "skills"] as const;
    expect(keys.map((key) => settings.get(key))).toEqual([9, 9, false, ["b"]]);
  });

  test("of another directory keeps nothing of the first project", () => {
    using places = settingsPlaces({ project: { "retry.maxRetries": 1, shellPath: "/bin/evil" } });
    const settings = places.open();
    settings.trustProject();
    settings.reload(places.root);
    expect([settings.get("retry.maxRetries"), settings.get("shellPath"), settings.project]).toEqual([
      3,
      undefined,
      undefined,
    ]);
  });
});

test("a value that is read during a reload is not cached", () => {
  using places = settingsPlaces({ user: { steeringMode: "all" } });
  const seen: unknown[] = [];
  let ask = () => {};
  const settings = places.open({ report: () => ask() });
  ask = () => void seen.push(settings.get("steeringMode"));
  places.write(places.user, { steeringMode: "one-at-a-time", nonsense: 1 });
  settings.reload(places.cwd);
  expect(seen).toHaveLength(1);
  expect(settings.get("steeringMode")).toBe("one-at-a-time");
});
