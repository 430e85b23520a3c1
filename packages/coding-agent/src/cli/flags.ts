import { existsSync } from "node:fs";
import { cutText, errorText, isRecord, THINKING_LEVELS } from "@pintle/ai";
import { PERMISSION_MODES, type PermissionRule, SANDBOX_MODES } from "@pintle/wire";
import { parseSetFlags } from "../config/settings/settings-flags.ts";
import { shown } from "../config/settings/shown-name.ts";
import { readRules } from "../permissions/rules/read-rules.ts";
import { readBudgetFlag } from "./budget-flag.ts";
import type { FlagTable, GivenValues, StartFacts } from "./flag-table.ts";
import { namedPaths } from "./named-paths.ts";
import { readNamedFile } from "./read-named-file.ts";
import { UsageError } from "./usage-error.ts";

/** oh-my-pi's names for the presets. */
const APPROVAL_MODES: Readonly<Record<string, (typeof PERMISSION_MODES)[number]>> = {
  "always-ask": "ask",
  write: "workspace",
  yolo: "full",
};

const DIALECT_NAMES = ["seed", "pi", "omp"];

/**
 * One row per flag. Parsing, usage text, completions, reference page and session options are derived from it. If two rows
 * set the same option, the later row wins, so the stricter one comes last.
 */
export const FLAGS = {
  print: { kind: "switch", group: "Message", short: "p", help: "answer the message and exit" },
  message: {
    kind: "list",
    group: "Message",
    value: "<text>",
    help: "send another message after the answer; repeatable",
  },
  last: { kind: "switch", group: "Message", help: "print only the last message of the answer" },
  "output-schema": {
    kind: "value",
    group: "Message",
    value: "<file>",
    help: "require an answer that matches this JSON Schema; -p prints it as one line of JSON",
    option: (file) => ({ outputSchema: readSchema(file) }),
  },
  quiet: { kind: "switch", group: "Message", short: "q", help: "print only the answer, and errors on stderr" },
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
    help: "terminal: open a session of a gateway (pintle serve); a new one unless --session names it",
  },

  model: {
    kind: "value",
    group: "Model",
    value: "<pattern>",
    help: "model to use: provider/id, id or part of it, optionally with :level",
    option: (model) => ({ flags: { model } }),
  },
  provider: {
    kind: "value",
    group: "Model",
    value: "<name>",
    help: "restrict --model to this provider",
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
    help: "API key of the selected provider, for this process only",
    option: (apiKey) => ({ apiKey }),
  },
  "list-models": {
    kind: "optional",
    group: "Model",
    value: "[search]",
    mayBeEmpty: true,
    help: "list the available models and exit",
  },

  continue: {
    kind: "switch",
    group: "Session",
    short: "c",
    help: "continue the most recent session in this directory",
    option: () => ({ session: { continueRecent: true } }),
  },
  session: {
    kind: "value",
    group: "Session",
    value: "<id|name|path>",
    help: "open a session by id prefix, name or path; the path of a new .jsonl file creates it",
    option: (open) => ({ session: { open, mayCreate: true } }),
  },
  resume: {
    kind: "optional",
    group: "Session",
    short: "r",
    value: "<id|name|path>",
    help: "same as --session; without a value, choose from a list (terminal only)",
    option: (open) => {
      if (open === true) throw new UsageError("--resume needs the id, name or path of a session");
      return { session: { open } };
    },
  },
  "session-id": {
    kind: "value",
    group: "Session",
    value: "<id>",
    help: "open the session with exactly this id, or create it",
    option: (id) => ({ session: { id } }),
  },
  fork: {
    kind: "value",
    group: "Session",
    value: "<id|name|path>",
    help: "start from a copy of this session",
    option: (fork) => ({ session: { fork } }),
  },
  "fork-before": {
    kind: "value",
    group: "Session",
    value: "<entry>",
    help: "with --fork: copy only what comes before this user message",
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
    help: "directory for session files",
    option: (sessionDir) => ({ sessionDir }),
  },
  "no-session": {
    kind: "switch",
    group: "Session",
    help: "keep the session in memory only",
    option: () => ({ session: { inMemory: true } }),
  },
  export: {
    kind: "value",
    group: "Session",
    value: "<session> [file]",
    help: "write a session (id prefix, name or path) as an HTML page and exit",
  },
  redact: { kind: "switch", group: "Session", help: "export: mask secrets (default)" },
  "no-redact": { kind: "switch", group: "Session", help: "export: do not mask secrets" },

  tools: {
    kind: "value",
    group: "Tools",
    short: "t",
    value: "<list>",
    mayBeEmpty: true,
    help: "tools to offer: comma-separated names and patterns (*), or +name and -name to change the default set",
    option: (tools) => ({ tools: splitNames(tools) }),
  },
  "exclude-tools": {
    kind: "value",
    group: "Tools",
    short: "xt",
    value: "<list>",
    mayBeEmpty: true,
    help: "tools never to offer: comma-separated names and patterns (*)",
    option: (tools) => ({ excludeTools: splitNames(tools) }),
  },
  "no-builtin-tools": {
    kind: "switch",
    group: "Tools",
    short: "nbt",
    help: "offer only custom tools and host tools",
    option: () => ({ noTools: "builtin" }),
  },
  "no-tools": {
    kind: "switch",
    group: "Tools",
    short: "nt",
    help: "offer only host tools",
    option: () => ({ noTools: "all" }),
  },
  "custom-tool": {
    kind: "list",
    group: "Tools",
    value: "<path>",
    help: "load custom tools from this module; repeatable",
    option: (paths) => ({ customToolPaths: namedPaths("--custom-tool", paths) }),
  },
  extension: {
    kind: "list",
    group: "Tools",
    short: "e",
    aliases: ["hook", "trusted-extension"],
    value: "<path>",
    help: "load this extension; repeatable",
    option: (paths) => ({ additionalExtensionPaths: namedPaths("--extension", paths) }),
  },
  "no-extensions": {
    kind: "switch",
    group: "Tools",
    short: "ne",
    help: "load only extensions named with --extension",
    option: () => ({ disableExtensionDiscovery: true }),
  },
  "no-mcp": { kind: "switch", group: "Tools", help: "do not start MCP servers", option: () => ({ enableMCP: false }) },

  "system-prompt": {
    kind: "value",
    group: "Instructions",
    value: "<text|@file>",
    mayBeEmpty: true,
    help: "replace the built-in system prompt",
    option: (text) => ({ systemPrompt: textOrFile("--system-prompt", text) }),
  },
  "append-system-prompt": {
    kind: "list",
    group: "Instructions",
    value: "<text|@file>",
    mayBeEmpty: true,
    help: "append to the system prompt; repeatable",
    option: (texts) => ({ appendSystemPrompt: texts.map((text) => textOrFile("--append-system-prompt", text)) }),
  },
  "no-context-files": {
    kind: "switch",
    group: "Instructions",
    short: "nc",
    help: "do not load context files (AGENTS.md and others)",
    option: () => ({ resources: { hasContextFiles: false } }),
  },
  skill: {
    kind: "list",
    group: "Instructions",
    value: "<path>",
    help: "load this skill; repeatable",
    option: (paths) => ({ resources: { skillPaths: namedPaths("--skill", paths) } }),
  },
  skills: {
    kind: "value",
    group: "Instructions",
    value: "<globs>",
    mayBeEmpty: true,
    help: "skills to offer: comma-separated names and patterns (*)",
    option: (globs) => ({ resources: { skillFilter: splitNames(globs) } }),
  },
  "no-skills": {
    kind: "switch",
    group: "Instructions",
    short: "ns",
    help: "load only skills named with --skill",
    option: () => ({ resources: { hasSkills: false } }),
  },
  "prompt-template": {
    kind: "list",
    group: "Instructions",
    value: "<path>",
    help: "load this prompt template; repeatable",
    option: (paths) => ({ resources: { templatePaths: namedPaths("--prompt-template", paths) } }),
  },
  "no-prompt-templates": {
    kind: "switch",
    group: "Instructions",
    short: "np",
    help: "load only templates named with --prompt-template",
    option: () => ({ resources: { hasTemplates: false } }),
  },
  "no-rules": {
    kind: "switch",
    group: "Instructions",
    help: "do not load stream rules",
    option: () => ({ rules: false }),
  },

  trust: {
    kind: "switch",
    group: "Trust",
    short: "a",
    aliases: ["approve"],
    help: "run project code from this directory, for this process only",
    option: () => ({ trust: "open" }),
  },
  "no-trust": {
    kind: "switch",
    group: "Trust",
    short: "na",
    aliases: ["no-approve"],
    help: "never run project code",
    option: () => ({ trust: "closed" }),
  },

  sandbox: {
    kind: "value",
    group: "Permissions",
    value: "<mode>",
    choices: SANDBOX_MODES,
    help: "sandbox for the model's commands: off, workspace-write, read-only, or auto (default: depends on the preset)",
    option: (mode) => ({ settings: { "sandbox.mode": oneOf("--sandbox", SANDBOX_MODES, mode) } }),
  },
  permissions: {
    kind: "value",
    group: "Permissions",
    value: "<preset>",
    choices: PERMISSION_MODES,
    help: "what tools may do without asking: plan, ask, workspace or full (default)",
    option: (mode) => ({ settings: { "permissions.mode": oneOf("--permissions", PERMISSION_MODES, mode) } }),
  },
  "approval-mode": {
    kind: "value",
    group: "Permissions",
    value: "<mode>",
    choices: Object.keys(APPROVAL_MODES),
    help: "presets by their oh-my-pi names: always-ask (ask), write (workspace), yolo (full)",
    option: (mode) => ({ settings: { "permissions.mode": presetOf(mode) } }),
  },
  policy: {
    kind: "value",
    group: "Permissions",
    value: "<file>",
    help: 'rules that override the preset: {"rules": [{"effect": "allow", "command": "npm test"}]}',
    option: (file) => ({ policy: readPolicy(file) }),
  },
  "add-dir": {
    kind: "list",
    group: "Permissions",
    value: "<dir>",
    help: "treat this directory as part of the workspace; repeatable",
    option: (directories) => ({ additionalDirectories: directories }),
  },

  "max-time": {
    kind: "value",
    group: "Budget",
    value: "<seconds>",
    help: "stop a run after this time; same as --budget time=SECONDS,reached=stop",
    option: (time) => ({ budget: readBudgetFlag(`time=${time},reached=stop`, "--max-time") }),
  },
  budget: {
    kind: "value",
    group: "Budget",
    value: "<limits>",
    help: "limits for a run: cost=2,tokens=500k,turns=50,time=10m,calls=100; also scope=session, reached=stop",
    option: (limits) => ({ budget: readBudgetFlag(limits, "--budget") }),
  },

  dialect: {
    kind: "value",
    group: "For programs",
    value: "<name>",
    choices: DIALECT_NAMES,
    help: "rpc: speak pintle's protocol (seed, default), or the dialect of pi (pi) or oh-my-pi (omp)",
    option: readDialect,
  },
  "no-ui": { kind: "switch", group: "For programs", help: "rpc: never send dialogs to the host" },
  "strict-host": {
    kind: "switch",
    group: "For programs",
    help: "rpc: turn host mistakes into failed responses, for testing a host",
  },
  "user-settings": {
    kind: "switch",
    group: "For programs",
    help: "rpc: keep the user's own settings where hosts otherwise get defaults, for interactive hosts",
  },
  "provider-session-id": {
    kind: "value",
    group: "For programs",
    value: "<id>",
    mayBeEmpty: true,
    help: "session id to send to providers, for their caches",
    option: (providerSessionId) => ({ providerSessionId }),
  },
  record: {
    kind: "value",
    group: "For programs",
    value: "<dir>",
    help: "record every model request and response in this directory",
    option: (record) => ({ record }),
  },
  replay: {
    kind: "value",
    group: "For programs",
    value: "<dir>",
    help: "replay recorded responses from this directory; needs no key and no network",
    option: (replay) => ({ replay }),
  },
  "replay-speed": {
    kind: "value",
    group: "For programs",
    value: "<factor>",
    help: "replay with the recorded pauses, this many times faster",
    option: (factor) => ({ replaySpeed: Number(factor) }),
  },

  cwd: { kind: "value", group: "General", value: "<dir>", help: "work in this directory" },
  set: {
    kind: "list",
    group: "General",
    value: "<key>=<value>",
    help: "override a setting for this process; repeatable",
    option: (flags) => {
      const settings = parseSetFlags(flags);
      if ("error" in settings) throw new UsageError(settings.error);
      return { settings: settings.overrides };
    },
  },
  offline: {
    kind: "switch",
    group: "General",
    help: "use the network only for model calls; do not probe for local servers",
    option: () => ({ settings: { "models.probeLocal": false } }),
  },
  verbose: { kind: "switch", group: "General", help: "print more details on stderr" },
  help: { kind: "switch", group: "General", short: "h", help: "print this help" },
  version: { kind: "switch", group: "General", short: "v", help: "print the version" },
  json: {
    kind: "switch",
    group: "General",
    help: "with -p: print each result as one line of JSON; with --version: print build details",
  },
} as const satisfies FlagTable;

export type Given = GivenValues<typeof FLAGS>;

function oneOf(flag: string, words: readonly string[], word: string): string {
  if (words.includes(word)) return word;
  throw new UsageError(`${flag} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not ${cutText(word, 40)}`);
}

export function presetOf(approvalMode: string): string {
  return APPROVAL_MODES[oneOf("--approval-mode", Object.keys(APPROVAL_MODES), approvalMode)]!;
}

/** Parses the file. The session checks the content. */
function readSchema(path: string): object {
  try {
    const schema: unknown = JSON.parse(readNamedFile(path).toString("utf8"));
    if (!isRecord(schema)) throw new Error("it must be an object");
    return schema;
  } catch (error) {
    throw new UsageError(`--output-schema ${path}: ${errorText(error)}`);
  }
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

/** In RPC mode an unknown level is only a warning, so that the host can still start pintle. */
function readThinking(word: string, { isRpc, warn }: StartFacts) {
  const thinking = THINKING_LEVELS.find((level) => level === word);
  if (thinking !== undefined) return { flags: { thinking } };
  if (word === "auto") return {}; // the default level
  if (!isRpc) throw new UsageError(`--thinking must be one of ${THINKING_LEVELS.join(", ")}, not "${word}"`);
  warn(`unknown thinking level "${word}" is ignored`);
  return {};
}

/** Checks the value in all modes, although only RPC mode uses it. */
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

/** Matches paths: no spaces, and a separator or the extension of a text file. Never matches a sentence. */
const LOOKS_LIKE_PATH = /^(?:\S*[/\\]\S*|\S+\.(?:md|markdown|txt|prompt|mdx))$/i;

/**
 * Returns the text, or the content of the file that it names: `@file` or an existing path. A path that does not exist is an
 * error, not text.
 */
function textOrFile(flag: string, value: string): string {
  const [named] = value.startsWith("@") ? namedPaths(flag, [value.slice(1)]) : [];
  if (named !== undefined) return readNamedFile(named).toString("utf8");
  if (value.length < 4096 && existsSync(value)) return readNamedFile(value).toString("utf8");
  if (!LOOKS_LIKE_PATH.test(value)) return value;
  throw new UsageError(
    `${flag} ${cutText(value, 200)}: no such file. To pass text instead of a path, include at least one space`,
  );
}
