import { existsSync } from "node:fs";
import { cutText, errorText, isRecord, THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import { PERMISSION_MODES, type PermissionRule, SANDBOX_MODES } from "@pintle/wire";
import { parseSetFlags } from "../config/settings/settings-flags.ts";
import { shown } from "../config/settings/shown-name.ts";
import { readRules } from "../permissions/rules/read-rules.ts";
import { readBudgetFlag } from "./budget-flag.ts";
import type { FlagTable, GivenValues, StartFacts } from "./flag-table.ts";
import { namedPaths } from "./named-paths.ts";
import { readNamedFile } from "./read-named-file.ts";
import { UsageError } from "./usage-error.ts";

const DIALECT_NAMES = ["seed", "pi", "omp"];

/**
 * One row per flag: parsing, the usage text, the completions, the reference page and the options of the session follow from
 * it. Where two rows set the same option the later row wins, so the stricter one stands behind.
 */
export const FLAGS = {
  print: { kind: "switch", group: "Message", short: "p", help: "answer the message and exit" },
  message: {
    kind: "list",
    group: "Message",
    value: "<text>",
    help: "a further message, sent after the answer; may be repeated",
  },
  last: { kind: "switch", group: "Message", help: "print only the last message of the answer" },
  quiet: { kind: "switch", group: "Message", short: "q", help: "print the answer, and nothing on stderr but failures" },
  mode: {
    kind: "value",
    group: "Message",
    value: "<mode>",
    choices: ["text", "json", "rpc", "rpc-ui", "acp"],
    help: "text (default), json, rpc, rpc-ui, or acp (see docs/editors.md)",
  },
  attach: {
    kind: "value",
    group: "Message",
    value: "<url|socket>",
    help: "in a terminal: a session of a gateway (pintle serve), a new one or that of --session",
  },

  model: {
    kind: "value",
    group: "Model",
    value: "<pattern>",
    help: "provider/id, id, or a part of it, optionally with :level",
    option: (model) => ({ flags: { model } }),
  },
  provider: {
    kind: "value",
    group: "Model",
    value: "<name>",
    help: "restrict --model to a provider",
    option: (provider) => ({ flags: { provider } }),
  },
  models: {
    kind: "value",
    group: "Model",
    value: "<a,b:high>",
    help: "models to cycle through",
    option: (models) => ({ flags: { models: models.split(",") } }),
  },
  thinking: {
    kind: "value",
    group: "Model",
    value: "<level>",
    choices: THINKING_LEVELS,
    mayBeEmpty: true,
    help: `${THINKING_LEVELS.join(", ")}, or auto`,
    option: readThinking,
  },
  "api-key": {
    kind: "value",
    group: "Model",
    value: "<key>",
    help: "key for the selected provider, for this process",
    option: (apiKey) => ({ apiKey }),
  },
  "list-models": {
    kind: "optional",
    group: "Model",
    value: "[search]",
    mayBeEmpty: true,
    help: "print the models that can be used and exit",
  },

  continue: {
    kind: "switch",
    group: "Session",
    short: "c",
    help: "go on with the newest session of this directory",
    option: () => ({ session: { continueRecent: true } }),
  },
  session: {
    kind: "value",
    group: "Session",
    value: "<id|name|path>",
    help: "open a session by the beginning of its id, its name or its path",
    option: (open) => ({ session: { open } }),
  },
  resume: {
    kind: "optional",
    group: "Session",
    short: "r",
    value: "<id|name|path>",
    help: "the same as --session; in a terminal without a value: choose one",
    option: (open) => {
      if (open === true) throw new UsageError("--resume needs the id, name or path of a session");
      return { session: { open } };
    },
  },
  "session-id": {
    kind: "value",
    group: "Session",
    value: "<id>",
    help: "the session with exactly this id, new if there is none",
    option: (id) => ({ session: { id } }),
  },
  fork: {
    kind: "value",
    group: "Session",
    value: "<id|name|path>",
    help: "start with a copy of that session",
    option: (fork) => ({ session: { fork } }),
  },
  "fork-before": {
    kind: "value",
    group: "Session",
    value: "<entry>",
    help: "with --fork: the copy ends before that message of the user",
    option: (forkBefore) => ({ session: { forkBefore } }),
  },
  name: {
    kind: "value",
    group: "Session",
    short: "n",
    value: "<text>",
    help: "name of the session",
    option: (name) => ({ session: { name } }),
  },
  "session-dir": {
    kind: "value",
    group: "Session",
    value: "<dir>",
    mayBeEmpty: true,
    help: "the directory that session files lie in",
    option: (sessionDir) => ({ sessionDir }),
  },
  "no-session": {
    kind: "switch",
    group: "Session",
    help: "keep the session in memory",
    option: () => ({ session: { inMemory: true } }),
  },
  export: {
    kind: "value",
    group: "Session",
    value: "<session> [file]",
    help: "write a session (beginning of its id, name or path) as a page; exit",
  },
  redact: { kind: "switch", group: "Session", help: "export: mask secrets (the default)" },
  "no-redact": { kind: "switch", group: "Session", help: "export: show known secrets and what looks like a key" },

  tools: {
    kind: "value",
    group: "Tools",
    short: "t",
    value: "<list>",
    mayBeEmpty: true,
    help: "names of the tools to offer, with commas",
    option: (tools) => ({ tools: splitNames(tools) }),
  },
  "exclude-tools": {
    kind: "value",
    group: "Tools",
    short: "xt",
    value: "<list>",
    mayBeEmpty: true,
    help: "names of tools that are never offered, with commas",
    option: (tools) => ({ excludeTools: splitNames(tools) }),
  },
  "no-builtin-tools": {
    kind: "switch",
    group: "Tools",
    short: "nbt",
    help: "only custom tools and those of the host",
    option: () => ({ noTools: "builtin" }),
  },
  "no-tools": {
    kind: "switch",
    group: "Tools",
    short: "nt",
    help: "no tools but those of the host",
    option: () => ({ noTools: "all" }),
  },
  "custom-tool": {
    kind: "list",
    group: "Tools",
    value: "<path>",
    help: "load the tools of this module; may be repeated",
    option: (paths) => ({ customToolPaths: namedPaths("--custom-tool", paths) }),
  },
  extension: {
    kind: "list",
    group: "Tools",
    short: "e",
    aliases: ["hook", "trusted-extension"],
    value: "<path>",
    help: "load this extension; may be repeated",
    option: (paths) => ({ additionalExtensionPaths: namedPaths("--extension", paths) }),
  },
  "no-extensions": {
    kind: "switch",
    group: "Tools",
    short: "ne",
    help: "no extensions but the named ones",
    option: () => ({ disableExtensionDiscovery: true }),
  },
  "no-mcp": { kind: "switch", group: "Tools", help: "no MCP servers", option: () => ({ enableMCP: false }) },

  "system-prompt": {
    kind: "value",
    group: "Instructions",
    value: "<text|@file>",
    mayBeEmpty: true,
    help: "replaces the built-in system prompt",
    option: (text) => ({ systemPrompt: textOrFile("--system-prompt", text) }),
  },
  "append-system-prompt": {
    kind: "list",
    group: "Instructions",
    value: "<text|@file>",
    mayBeEmpty: true,
    help: "added to the system prompt; may be repeated",
    option: (texts) => ({ appendSystemPrompt: texts.map((text) => textOrFile("--append-system-prompt", text)) }),
  },
  "no-context-files": {
    kind: "switch",
    group: "Instructions",
    short: "nc",
    help: "no context files",
    option: () => ({ resources: { hasContextFiles: false } }),
  },
  skill: {
    kind: "list",
    group: "Instructions",
    value: "<path>",
    help: "load this skill; may be repeated",
    option: (paths) => ({ resources: { skillPaths: namedPaths("--skill", paths) } }),
  },
  skills: {
    kind: "value",
    group: "Instructions",
    value: "<globs>",
    mayBeEmpty: true,
    help: "names of the skills to offer",
    option: (globs) => ({ resources: { skillFilter: splitNames(globs) } }),
  },
  "no-skills": {
    kind: "switch",
    group: "Instructions",
    short: "ns",
    help: "no skills but the named ones",
    option: () => ({ resources: { hasSkills: false } }),
  },
  "prompt-template": {
    kind: "list",
    group: "Instructions",
    value: "<path>",
    help: "load this prompt template; may be repeated",
    option: (paths) => ({ resources: { templatePaths: namedPaths("--prompt-template", paths) } }),
  },
  "no-prompt-templates": {
    kind: "switch",
    group: "Instructions",
    short: "np",
    help: "no prompt templates but the named ones",
    option: () => ({ resources: { hasTemplates: false } }),
  },
  "no-rules": {
    kind: "switch",
    group: "Instructions",
    help: "no rules, neither the project's nor the user's",
    option: () => ({ rules: false }),
  },

  trust: {
    kind: "switch",
    group: "Trust",
    short: "a",
    aliases: ["approve"],
    help: "code of this directory may run (for this process)",
    option: () => ({ trust: "open" }),
  },
  "no-trust": {
    kind: "switch",
    group: "Trust",
    short: "na",
    aliases: ["no-approve"],
    help: "code of this project never runs",
    option: () => ({ trust: "closed" }),
  },

  sandbox: {
    kind: "value",
    group: "Permissions",
    value: "<mode>",
    choices: SANDBOX_MODES,
    help: "where the model's commands run: off, workspace-write, read-only, or auto (by the preset, default)",
    option: (mode) => ({ settings: { "sandbox.mode": oneOf("--sandbox", SANDBOX_MODES, mode) } }),
  },
  permissions: {
    kind: "value",
    group: "Permissions",
    value: "<preset>",
    choices: PERMISSION_MODES,
    help: "what tool calls may do unasked: plan, ask, workspace or full (default)",
    option: (mode) => ({ settings: { "permissions.mode": oneOf("--permissions", PERMISSION_MODES, mode) } }),
  },
  policy: {
    kind: "value",
    group: "Permissions",
    value: "<file>",
    help: 'rules stronger than the preset: {"rules": [{"effect": "allow", "command": "npm test"}]}',
    option: (file) => ({ policy: readPolicy(file) }),
  },
  "add-dir": {
    kind: "list",
    group: "Permissions",
    value: "<dir>",
    help: "a further directory that counts as inside; may be repeated",
    option: (directories) => ({ additionalDirectories: directories }),
  },

  "max-time": {
    kind: "value",
    group: "Budget",
    value: "<seconds>",
    help: "end a run after so long; the same as --budget time=SECONDS,reached=stop",
    option: (time) => ({ budget: readBudgetFlag(`time=${time},reached=stop`, "--max-time") }),
  },
  budget: {
    kind: "value",
    group: "Budget",
    value: "<limits>",
    help: "what a run may use: cost=2,tokens=500k,turns=50,time=10m,calls=100; also scope=session, reached=stop",
    option: (limits) => ({ budget: readBudgetFlag(limits, "--budget") }),
  },

  dialect: {
    kind: "value",
    group: "For programs",
    value: "<name>",
    choices: DIALECT_NAMES,
    help: "rpc: speak in pintle's own way (seed, default), or as clients of pi (pi) or oh-my-pi (omp) expect",
    option: readDialect,
  },
  "no-ui": { kind: "switch", group: "For programs", help: "rpc: never send a dialog to the host" },
  "strict-host": {
    kind: "switch",
    group: "For programs",
    help: "rpc: answer mistakes of the host as failures, for tests of a host",
  },
  "user-settings": {
    kind: "switch",
    group: "For programs",
    help: "rpc: settings that are reset for hosts count as the user's files have them, because a person works with the host",
  },
  "provider-session-id": {
    kind: "value",
    group: "For programs",
    value: "<id>",
    mayBeEmpty: true,
    help: "id sent to providers for their caches",
    option: (providerSessionId) => ({ providerSessionId }),
  },
  record: {
    kind: "value",
    group: "For programs",
    value: "<dir>",
    help: "store every exchange with a model in this directory",
    option: (record) => ({ record }),
  },
  replay: {
    kind: "value",
    group: "For programs",
    value: "<dir>",
    help: "answer from such a directory; needs no key and no network",
    option: (replay) => ({ replay }),
  },
  "replay-speed": {
    kind: "value",
    group: "For programs",
    value: "<factor>",
    help: "with the recorded pauses, so many times as fast",
    option: (factor) => ({ replaySpeed: Number(factor) }),
  },

  cwd: { kind: "value", group: "General", value: "<dir>", help: "change to this directory first" },
  set: {
    kind: "list",
    group: "General",
    value: "<key>=<value>",
    help: "one setting for this process; may be repeated",
    option: (flags) => {
      const settings = parseSetFlags(flags);
      if ("error" in settings) throw new UsageError(settings.error);
      return { settings: settings.overrides };
    },
  },
  offline: {
    kind: "switch",
    group: "General",
    help: "no network but for model calls: local servers are not looked for",
    option: () => ({ settings: { "models.probeLocal": false } }),
  },
  verbose: { kind: "switch", group: "General", help: "say more on stderr" },
  help: { kind: "switch", group: "General", short: "h", help: "print this text" },
  version: { kind: "switch", group: "General", short: "v", help: "print the version" },
  json: { kind: "switch", group: "General", help: "with --version: one object, with what was built of what" },
} as const satisfies FlagTable;

export type Given = GivenValues<typeof FLAGS>;

/** What other programs of the family call a level; without a level of its own the default stays. */
const OTHER_LEVELS: Readonly<Record<string, ThinkingLevel | undefined>> = { max: "xhigh", auto: undefined };

function oneOf(flag: string, words: readonly string[], word: string): string {
  if (words.includes(word)) return word;
  throw new UsageError(`${flag} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not ${cutText(word, 40)}`);
}

function readPolicy(path: string): PermissionRule[] {
  try {
    const policy: unknown = JSON.parse(readNamedFile(path).toString("utf8"));
    if (!isRecord(policy)) throw new Error('it must be an object with "rules"');
    const unknown = Object.keys(policy).find((key) => key !== "rules");
    if (unknown !== undefined) throw new Error(`unknown key ${shown(unknown)}; its only key is rules`);
    return readRules(policy.rules);
  } catch (error) {
    throw new UsageError(`--policy ${path}: ${errorText(error)}`);
  }
}

/** A level this program does not know is no reason to refuse a host's start. */
function readThinking(word: string, { isRpc, warn }: StartFacts) {
  const isOther = Object.hasOwn(OTHER_LEVELS, word);
  const thinking = isOther ? OTHER_LEVELS[word] : THINKING_LEVELS.find((level) => level === word);
  if (thinking !== undefined) return { flags: { thinking } };
  if (isOther) return {};
  if (!isRpc) throw new UsageError(`--thinking must be one of ${THINKING_LEVELS.join(", ")}, not "${word}"`);
  warn(`unknown thinking level "${word}" is ignored`);
  return {};
}

/** It does nothing outside of RPC, where it is read; a wrong word is wrong all the same. */
function readDialect(word: string) {
  if (!DIALECT_NAMES.includes(word)) {
    throw new UsageError(`--dialect must be one of ${DIALECT_NAMES.join(", ")}, not "${word}"`);
  }
  return {};
}

function splitNames(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** A path has no blanks here, and a separator or the ending of a text file: a sentence is never taken for one. */
const LOOKS_LIKE_PATH = /^(?:\S*[/\\]\S*|\S+\.(?:md|markdown|txt|prompt|mdx))$/i;

/** Text, or the file that it names: `@file`, or a path that exists. A path that does not exist is not taken for text. */
function textOrFile(flag: string, value: string): string {
  const [named] = value.startsWith("@") ? namedPaths(flag, [value.slice(1)]) : [];
  if (named !== undefined) return readNamedFile(named).toString("utf8");
  if (value.length < 4096 && existsSync(value)) return readNamedFile(value).toString("utf8");
  if (!LOOKS_LIKE_PATH.test(value)) return value;
  throw new UsageError(
    `${flag} ${cutText(value, 200)}: no such file. A path is read; give text with at least one blank`,
  );
}
