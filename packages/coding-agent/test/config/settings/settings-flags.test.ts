import { describe, expect, test } from "bun:test";
import { Settings } from "../../../src/config/settings/settings.ts";
import { parseSetFlags } from "../../../src/config/settings/settings-flags.ts";

describe("--set key=value", () => {
  test.each<[string[], Record<string, unknown>]>([
    [[], {}],
    [["retry.maxRetries=2"], { "retry.maxRetries": 2 }],
    [["retry.enabled=false"], { "retry.enabled": false }],
    [["interruptMode=immediate"], { interruptMode: "immediate" }],
    [['interruptMode="immediate"'], { interruptMode: "immediate" }],
    [["defaultModel=claude=x"], { defaultModel: "claude=x" }],
    [["defaultModel=7"], { defaultModel: "7" }],
    [["sessionDir=true"], { sessionDir: "true" }],
    [["shellCommandPrefix="], { shellCommandPrefix: "" }],
    [['skills=["a","b"]'], { skills: ["a", "b"] }],
    [['task.agentModelOverrides={"plan":"x"}'], { "task.agentModelOverrides": { plan: "x" } }],
    [['retry={"maxRetries":2,"enabled":false}'], { "retry.maxRetries": 2, "retry.enabled": false }],
    [['todo.reminders={"max":2}'], { "todo.reminders.max": 2 }],
    [["retry.maxRetries=1", "retry.maxRetries=2"], { "retry.maxRetries": 2 }],
    [["retry.maxRetries=1", 'retry={"maxRetries":2}', "retry.maxRetries=3"], { "retry.maxRetries": 3 }],
  ])("%j", (flags, overrides) => {
    expect(parseSetFlags(flags)).toEqual({ overrides });
    expect(() => Settings.inMemory().applyOverrides(overrides)).not.toThrow();
  });

  test.each<[string[], string]>([
    [["retry.maxRetries"], "--set: retry.maxRetries is not of the form key=value"],
    [["=2"], "--set: =2 is not of the form key=value"],
    [["retry.maxRetires=2"], "--set: unknown setting retry.maxRetires (did you mean retry.maxRetries?)"],
    [["__proto__=2"], "--set: unknown setting __proto__"],
    [["constructor.prototype=2"], "--set: unknown setting constructor.prototype"],
    [["retry.maxRetries=many"], "--set: retry.maxRetries must be an integer of at least 0"],
    [["retry.maxRetries="], "--set: retry.maxRetries must be an integer of at least 0"],
    [["retry.enabled=1"], "--set: retry.enabled must be true or false"],
    [["retry=true"], "--set: retry must be an object"],
    [["retry.enabled=null"], "--set: retry.enabled cannot be null"],
    [["skills=a"], "--set: skills must be a list of strings"],
    [["task.agentModelOverrides.plan=x"], "--set: unknown setting task.agentModelOverrides.plan"],
    [["resolve.timeoutMs=0"], "--set: resolve.timeoutMs must be an integer from 1000 to 86400000"],
    [["a=1", "retry.enabled=true", 'retry={"x":1}'], "--set: unknown setting a\n--set: unknown setting retry.x"],
    [["\u001b[31mred\u009b\n=1"], "--set: unknown setting ?[31mred?"],
  ])("%j is an error", (flags, error) => {
    expect(parseSetFlags(flags)).toEqual({ error });
  });

  test("a long unknown key is truncated", () => {
    expect(parseSetFlags([`${"x".repeat(200)}=1`])).toEqual({ error: `--set: unknown setting ${"x".repeat(80)}…` });
  });
});
