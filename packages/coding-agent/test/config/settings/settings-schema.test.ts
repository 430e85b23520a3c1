import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { InterruptMode, QueueMode } from "@pintle/agent";
import type { ThinkingLevel } from "@pintle/ai";
import { Settings } from "../../../src/config/settings/settings.ts";
import { SETTING_KEYS, type SettingKey, settingRow } from "../../../src/config/settings/settings-schema.ts";

/** The settings that hosts rely on. A new setting needs no row here. */
const DEFAULTS: Partial<Record<SettingKey, unknown>> = {
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  interruptMode: "wait",
  "permissions.mode": "full",
  "permissions.rules": [],
  "permissions.projectRules": [],
  "permissions.roots": [],
  "permissions.timeoutMs": 300_000,
  "permissions.maxDenials": 5,
  "budget.timeoutMs": 300_000,
  "agent.maxTurns": 0,
  "agent.maxIdenticalCalls": 20,
  "agent.askAfterTurns": 200,
  "agent.abortGraceMs": 1000,
  "extensions.unresponsiveMs": 10_000,
  "stream.totalTimeoutMs": 3_600_000,
  "stream.maxAnswerChars": 0,
  "tools.maxSpillTotalBytes": 1_073_741_824,
  "stream.idleTimeoutMs": 120000,
  "compaction.enabled": true,
  "compaction.strategy": "context-full",
  "compaction.reserveTokens": 16384,
  "compaction.keepRecentTokens": 20000,
  "compaction.thresholdPercent": -1,
  "compaction.thresholdTokens": -1,
  "compaction.model": undefined,
  "compaction.idleEnabled": false,
  "compaction.idleThresholdTokens": 200000,
  "compaction.idleTimeoutSeconds": 300,
  "compaction.autoContinue": false,
  "branchSummary.enabled": false,
  "branchSummary.reserveTokens": 16384,
  "retry.enabled": true,
  "retry.maxRetries": 3,
  "retry.baseDelayMs": 2000,
  "retry.maxDelayMs": 60000,
  "retry.fallbackChains": {},
  "retry.fallbackRevertPolicy": "cooldown-expiry",
  "todo.enabled": true,
  "todo.reminders": true,
  "todo.reminders.max": 3,
  "todo.eager": false,
  "tasks.todoClearDelay": 60,
  "ttsr.enabled": true,
  "ttsr.contextMode": "discard",
  "ttsr.interruptMode": "always",
  "ttsr.repeatMode": "once",
  "ttsr.repeatGap": 10,
  "async.enabled": false,
  "async.maxJobs": 100,
  "bash.promptWaitMs": 60_000,
  "bash.autoBackground.enabled": false,
  "bash.autoBackground.thresholdMs": 60000,
  "task.isolation.mode": "none",
  "task.isolation.merge": "patch",
  "task.isolation.commits": "generic",
  "task.eager": false,
  "task.maxConcurrency": 32,
  "task.maxRecursionDepth": 2,
  "task.disabledAgents": [],
  "task.agentModelOverrides": {},
  "tools.maxTimeout": 0,
  "tools.maxOutputLines": 2000,
  "tools.maxOutputBytes": 51200,
  "tools.maxSpillBytes": 268435456,
  "host.dialogTimeoutMs": 600000,
  "host.toolTimeoutMs": 600000,
  "resolve.by": "model",
  "resolve.timeoutMs": 600000,
  "trust.default": "closed",
  "trust.timeoutMs": 120000,
  "models.offline": true,
  "models.probeLocal": true,
  "images.autoResize": true,
  "images.blockImages": false,
  defaultThinkingLevel: undefined,
  "thinkingBudgets.minimal": undefined,
  "thinkingBudgets.low": undefined,
  "thinkingBudgets.medium": undefined,
  "thinkingBudgets.high": undefined,
  "thinkingBudgets.xhigh": undefined,
  "thinkingBudgets.max": undefined,
  "session.fsync": "turn",
  "session.images": "blob",
  "session.titleModel": undefined,
  defaultProvider: undefined,
  defaultModel: undefined,
  enabledModels: [],
  shellPath: undefined,
  shellCommandPrefix: undefined,
  sessionDir: undefined,
  "env.withhold": [
    "*KEY",
    "*KEYS",
    "*KEY_*",
    "*TOKEN",
    "*TOKEN_*",
    "*SECRET",
    "*SECRETS",
    "*SECRET_*",
    "OTEL_EXPORTER_OTLP*HEADERS",
    "*PASSWORD",
    "*PASSWORDS",
    "*PASSWORD_*",
    "*PASSWD",
    "*PASSPHRASE",
  ],
  "env.pass": ["PASSWORD_STORE_DIR", "ANSIBLE_HOST_KEY_CHECKING"],
  "sandbox.mode": "auto",
  "sandbox.network": "off",
  "sandbox.write": [],
  "sandbox.hide": [],
  "sandbox.require": undefined,
  "sandbox.userCommands": false,
  "sandbox.mcp": false,
  extensions: [],
  disabledExtensions: [],
  skills: [],
  prompts: [],
  customTools: [],
  enableSkillCommands: true,
  "mcp.deferAbove": 40,
  "mcp.startTimeoutMs": 5_000,
  "search.preferSystem": false,
};

describe("defaults", () => {
  test("the table has the keys of the specification", () => {
    expect(Object.keys(DEFAULTS).filter((key) => !SETTING_KEYS.some((known) => known === key))).toEqual([]);
  });

  test.each(Object.entries(DEFAULTS) as [SettingKey, unknown][])("%s is %j", (key, value) => {
    expect(Settings.inMemory().get(key)).toEqual(value as never);
  });
});

test("the table contains every row of every file, and no key twice", async () => {
  const folder = new URL("../../../src/config/settings/rows/", import.meta.url);
  const topics = await Promise.all(readdirSync(folder).map((name) => import(new URL(name, folder).href)));
  const keys = topics.flatMap((topic) => Object.values(topic).flatMap((rows) => Object.keys(rows as object)));
  expect(keys.toSorted()).toEqual([...SETTING_KEYS].toSorted());
});

describe("every row", () => {
  test.each([...SETTING_KEYS])("%s has an immutable default of its own type", (key) => {
    const row = settingRow(key);
    if (row.default !== undefined) expect(row.type.read(row.default)).toEqual({ value: row.default });
    if (row.rpcDefault !== undefined) expect(row.type.read(row.rpcDefault)).toEqual({ value: row.rpcDefault });
    expect(Object.isFrozen(row.default)).toBe(true);
  });

  test.each([...SETTING_KEYS])("%s is explained in one sentence of its own", (key) => {
    const { meaning } = settingRow(key);
    expect(meaning).toMatch(/^[A-Z].*[^.]\.$/);
    expect(SETTING_KEYS.filter((other) => settingRow(other).meaning === meaning)).toEqual([key]);
  });

  test("text has no default, because an empty string means none", () => {
    const texts = SETTING_KEYS.filter((key) => settingRow(key).type.read(""));
    expect(texts.map((key) => settingRow(key).default)).toEqual(texts.map(() => undefined));
    expect(texts.length).toBeGreaterThan(3);
  });

  test("an object with free names is not a prefix of other keys", () => {
    const objects = SETTING_KEYS.filter((key) => settingRow(key).type.merge);
    expect(objects.filter((key) => SETTING_KEYS.some((other) => other.startsWith(`${key}.`)))).toEqual([]);
  });
});

describe("limits", () => {
  const DEADLINES = [
    "agent.abortGraceMs",
    "host.dialogTimeoutMs",
    "host.toolTimeoutMs",
    "resolve.timeoutMs",
    "trust.timeoutMs",
  ] as const;

  test.each(DEADLINES)("%s accepts one second to one day", (key) => {
    const { type } = settingRow(key);
    const taken = [-1, 0, 999, 1000, 86_400_000, 86_400_001, Number.MAX_SAFE_INTEGER].filter((ms) => type.read(ms));
    expect(taken).toEqual([1000, 86_400_000]);
    expect(type.read(Number.POSITIVE_INFINITY)).toBeUndefined();
  });

  test.each<[SettingKey, unknown, boolean]>([
    ["retry.maxRetries", 0, true],
    ["retry.maxRetries", -1, false],
    ["retry.maxRetries", 1.5, false],
    ["retry.maxRetries", "3", false],
    ["compaction.thresholdPercent", 87.5, true],
    ["compaction.thresholdPercent", 101, false],
    ["compaction.thresholdTokens", -1, true],
    ["compaction.thresholdTokens", -2, false],
    ["tasks.todoClearDelay", -5, true],
    ["tasks.todoClearDelay", 0.5, true],
    ["tasks.todoClearDelay", 2_147_484, false],
    ["stream.idleTimeoutMs", 0, true],
    ["task.maxConcurrency", 0, true],
    ["task.maxRecursionDepth", -1, true],
    ["tools.maxOutputLines", 0, false],
    ["thinkingBudgets.high", 0, false],
    ["defaultThinkingLevel", "xhigh", true],
    ["defaultThinkingLevel", "max", true],
    ["defaultThinkingLevel", "ultra", false],
    ["trust.default", "open", false],
    ["compaction.strategy", "off", true],
  ])("%s: %j is accepted: %j", (key, value, isAccepted) => {
    expect(settingRow(key).type.read(value) !== undefined).toBe(isAccepted);
  });
});

test("RPC mode resets exactly these keys", () => {
  expect(SETTING_KEYS.filter((key) => settingRow(key).resetInRpc).sort()).toEqual([
    "async.enabled",
    "async.maxJobs",
    "async.printWaitMs",
    "bash.autoBackground.enabled",
    "bash.autoBackground.thresholdMs",
    "session.titleModel",
    "task.agentModelOverrides",
    "task.disabledAgents",
    "task.eager",
    "task.isolation.commits",
    "task.isolation.merge",
    "task.isolation.mode",
    "task.maxConcurrency",
    "task.maxRecursionDepth",
    "task.maxRuntimeMs",
    "task.softRequestBudget",
    "todo.eager",
    "todo.enabled",
    "todo.reminders",
    "todo.reminders.max",
  ]);
  const prefixed = SETTING_KEYS.filter((key) => /^(todo|task|async|bash\.autoBackground)\./.test(key));
  expect(prefixed.filter((key) => !settingRow(key).resetInRpc)).toEqual([]);
  expect(SETTING_KEYS.filter((key) => settingRow(key).rpcDefault !== undefined)).toEqual(["models.probeLocal"]);
});

/** The keys that a project may set before it is trusted. */
const ALWAYS =
  /^(env\.withhold|sandbox\.hide|permissions\.projectRules)$|^(compaction|retry|todo|tasks|ttsr|images|thinkingBudgets)\.|^(steeringMode|followUpMode|interruptMode|defaultThinkingLevel|skills|prompts)$/;
/** Keys that choose who receives the conversation, or turn off what watches the model (decision 0008). */
const GUARDED = /^(compaction\.model|retry\.fallbackChains)$/;
/** Limits on the cost of one answer: calls, pauses between them, sizes. */
const STRICTER: Record<"lower" | "raise", SettingKey[]> = {
  lower: [
    ...(["retry.enabled", "retry.maxRetries", "retry.maxDelayMs", "todo.reminders.max"] as const),
    ...(["compaction.keepRecentTokens", "compaction.idleEnabled"] as const),
    ...(["async.maxJobs", "async.printWaitMs", "task.softRequestBudget"] as const),
  ],
  raise: [
    ...(["retry.baseDelayMs", "ttsr.repeatGap"] as const),
    ...(["compaction.idleThresholdTokens", "compaction.idleTimeoutSeconds"] as const),
  ],
};
const NEVER = /^(checkpoints|trust|resolve|host|sandbox|permissions|budget|serve|traces|terminal)\.|^task\.max/;

test.each([...SETTING_KEYS])("%s is open to projects as far as it may be", (key) => {
  const limit = STRICTER.lower.includes(key) ? "lower" : STRICTER.raise.includes(key) ? "raise" : undefined;
  const expected =
    limit ?? (GUARDED.test(key) ? "consent" : ALWAYS.test(key) ? "always" : NEVER.test(key) ? "never" : "consent");
  expect(settingRow(key).project).toBe(expected);
});

test("types are derived from the rows", () => {
  const settings = Settings.inMemory();
  // The compiler checks these lines.
  const steering: QueueMode = settings.get("steeringMode");
  const interrupt: InterruptMode = settings.get("interruptMode");
  const level: ThinkingLevel | undefined = settings.get("defaultThinkingLevel");
  const retries: number = settings.get("retry.maxRetries");
  const reminders: boolean = settings.get("todo.reminders");
  const skills: readonly string[] = settings.get("skills");
  const chains: Readonly<Record<string, readonly string[]>> = settings.get("retry.fallbackChains");
  const model: string | undefined = settings.get("defaultModel");
  // @ts-expect-error a key without a default may have no value
  const always: string = settings.get("defaultModel");
  // @ts-expect-error not one of its values
  const wrong = () => settings.set("interruptMode", "never");
  // @ts-expect-error no such key
  const unknown = () => settings.get("retry.maxRetires");
  expect([steering, interrupt, level, retries, reminders, skills, chains, model, always]).toHaveLength(9);
  expect(wrong).toThrow("interruptMode must be immediate or wait");
  expect(unknown).toThrow("unknown setting retry.maxRetires");
});
