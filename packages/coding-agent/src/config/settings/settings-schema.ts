import { INTERRUPT_MODES, QUEUE_MODES } from "@pintle/agent";
import { THINKING_LEVELS } from "@pintle/ai";
import { PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import { SettingsError } from "./settings-error.ts";
import {
  flag,
  growingStrings,
  integer,
  NO_ENTRIES,
  NO_ITEMS,
  NO_RULES,
  number,
  oneOf,
  permissionRules,
  type SettingType,
  type StringList,
  stringEntries,
  stringListEntries,
  strings,
  text,
} from "./settings-types.ts";

/**
 * Whether a project's settings file may set a key: at once, only once the user trusts the project, or not at all. "lower" and
 * "raise" stand for limits: before consent a project may make them stricter than they are, in that direction.
 */
export type ProjectRight = "always" | "lower" | "raise" | "consent" | "never";

export interface SettingRow<T, D extends T | undefined = T | undefined> {
  type: SettingType<T>;
  /** undefined: there is no value until someone sets one. */
  default: D;
  /** One sentence. */
  meaning: string;
  project: ProjectRight;
  /** RPC mode takes the default, whatever the files say. Explicit values of this process still count. */
  resetInRpc?: true;
  /** The default in RPC mode, where the files do not count for this key either. */
  rpcDefault?: NoInfer<T>;
  /** A wrong value in the user's file is an error: going on with the default would send or run what the user has excluded. */
  isStrict?: true;
  /** Accepted because users of other agents have it in their files, or for a feature that does not exist yet. */
  inert?: true;
}

/** Infers the type of a value from `type`, and checks that the default is one. */
function setting<T, const D extends NoInfer<T> | undefined>(row: SettingRow<T, D>): SettingRow<T, D> {
  return row;
}

/** Waits for the host always end: there is no value for "no limit". */
const hostDeadline = integer({ min: 1_000, max: 86_400_000 });
const delayMs = integer({ min: 0, max: 86_400_000 });
const count = integer({ min: 0 });
const queueMode = oneOf(...QUEUE_MODES);
/** More seconds than a timer can hold would fire at once. */
const MAX_TIMER_SECONDS = 2_147_483;

/**
 * What names of secrets end with, or have before an underscore: `AWS_ACCESS_KEY_ID`, `PGPASSWORD`. Names that only begin
 * like one are something else: `KEYBOARD`, `KEYTIMEOUT`, `TOKENIZERS_PARALLELISM`.
 */
const SECRET_NAMES: StringList = Object.freeze([
  ...["*KEY", "*KEYS", "*KEY_*", "*TOKEN", "*TOKEN_*", "*SECRET", "*SECRETS", "*SECRET_*"],
  "OTEL_EXPORTER_OTLP*HEADERS",
  ...["*PASSWORD", "*PASSWORDS", "*PASSWORD_*", "*PASSWD", "*PASSPHRASE"],
]);
/** They look like secrets and are a directory and a switch of well-known programs. */
const HARMLESS_NAMES: StringList = Object.freeze(["PASSWORD_STORE_DIR", "ANSIBLE_HOST_KEY_CHECKING"]);

/** One row per key: type, validation, default, trust and the reference page (docs/settings.md) follow from it. */
export const SETTINGS = {
  defaultProvider: setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    meaning: "Provider of the model for new sessions.",
  }),
  defaultModel: setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    meaning: "Model for new sessions: an id or a part of it.",
  }),
  defaultThinkingLevel: setting({
    type: oneOf(...THINKING_LEVELS),
    default: undefined,
    project: "always",
    meaning: "Thinking level of new sessions; without it `medium`, as far as the model can.",
  }),
  "thinkingBudgets.minimal": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    meaning:
      "Tokens to think with at level `minimal`, for models that take such a budget; without it what suits the model.",
  }),
  "thinkingBudgets.low": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    meaning: "Tokens to think with at level `low`.",
  }),
  "thinkingBudgets.medium": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    meaning: "Tokens to think with at level `medium`.",
  }),
  "thinkingBudgets.high": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    meaning: "Tokens to think with at level `high`.",
  }),
  "thinkingBudgets.xhigh": setting({
    type: integer({ min: 1 }),
    default: undefined,
    project: "always",
    meaning: "Tokens to think with at level `xhigh`.",
  }),
  enabledModels: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    meaning:
      "Patterns of the models to cycle through, each optionally with `:level`; empty means all that can be used.",
  }),
  "models.offline": setting({
    type: flag,
    default: true,
    project: "consent",
    meaning: "Offer the built-in offline model when there is no other.",
  }),
  "models.probeLocal": setting({
    type: flag,
    default: true,
    rpcDefault: false,
    project: "consent",
    meaning: "Ask local model servers what they have when no model is configured.",
  }),

  steeringMode: setting({
    type: queueMode,
    default: "one-at-a-time",
    project: "always",
    meaning: "How many queued steering messages are delivered at once.",
  }),
  followUpMode: setting({
    type: queueMode,
    default: "one-at-a-time",
    project: "always",
    meaning: "How many queued follow-up messages are delivered at once.",
  }),
  interruptMode: setting({
    type: oneOf(...INTERRUPT_MODES),
    default: "wait",
    project: "always",
    meaning:
      "Whether a steering message stops a running command and skips the tool calls that have not started, or waits for the end of the turn.",
  }),
  "agent.maxTurns": setting({
    type: count,
    default: 0,
    project: "consent",
    meaning: "Turns after which a run ends with an error; 0 means no limit.",
  }),
  "agent.maxIdenticalCalls": setting({
    type: count,
    default: 0,
    project: "consent",
    meaning: "Equal tool calls in a row after which a run ends with an error; 0 means no limit.",
  }),
  "agent.abortGraceMs": setting({
    type: hostDeadline,
    default: 5_000,
    project: "consent",
    meaning: "How long an abort waits for a tool that does not stop.",
  }),
  "extensions.unresponsiveMs": setting({
    type: delayMs,
    default: 10_000,
    project: "consent",
    meaning:
      "How long an endless loop of an extension or custom tool may keep the program from answering before it is ended with exit code 70; 0 switches this off.",
  }),
  "stream.idleTimeoutMs": setting({
    type: delayMs,
    default: 120_000,
    project: "consent",
    meaning: "Silence of a provider after which its answer counts as failed; 0 switches this off.",
  }),
  "stream.totalTimeoutMs": setting({
    type: delayMs,
    default: 3_600_000,
    project: "consent",
    meaning: "Time from a request after which an answer that is not complete counts as failed; 0 switches this off.",
  }),
  "stream.maxAnswerChars": setting({
    type: count,
    default: 0,
    project: "consent",
    meaning:
      "Characters of text, thinking and arguments after which an answer counts as failed; 0 means 32 for each token that the model may write, and at least 8 Mi.",
  }),

  "compaction.enabled": setting({
    type: flag,
    default: true,
    project: "always",
    meaning: "Compact automatically before the context is full.",
  }),
  "compaction.strategy": setting({
    type: oneOf("context-full", "handoff", "off"),
    default: "context-full",
    project: "always",
    meaning: "How to compact; `off` is the same as not enabled, `handoff` acts like `context-full`.",
  }),
  "compaction.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "always",
    meaning: "Tokens of the context window that compaction keeps free; at most a third of a small window.",
  }),
  "compaction.keepRecentTokens": setting({
    type: count,
    default: 20_000,
    project: "lower",
    meaning: "Tokens of recent messages that are kept as they are; fewer in a small window.",
  }),
  "compaction.thresholdPercent": setting({
    type: number({ min: -1, max: 100 }),
    default: -1,
    project: "always",
    meaning: "Compact when this part of the window is used; 0 or less means by `compaction.reserveTokens`.",
  }),
  "compaction.thresholdTokens": setting({
    type: integer({ min: -1 }),
    default: -1,
    project: "always",
    meaning: "Compact when this many tokens are used, before the percentage is looked at; 0 or less means off.",
  }),
  "compaction.midTurn": setting({
    type: flag,
    default: true,
    project: "always",
    meaning: "Also check between the turns of a run.",
  }),
  "compaction.reuseCache": setting({
    type: flag,
    default: true,
    project: "always",
    meaning:
      "Ask for a summary at the end of the conversation itself when that is cheaper, because the provider has it in its cache.",
  }),
  "compaction.model": setting({
    type: text,
    default: undefined,
    isStrict: true,
    project: "consent",
    meaning: "Model that writes the summaries; without it the session's own.",
  }),
  "compaction.idleEnabled": setting({
    type: flag,
    default: false,
    project: "lower",
    meaning: "Compact a large context while nothing happens.",
  }),
  "compaction.idleThresholdTokens": setting({
    type: count,
    default: 200_000,
    project: "raise",
    meaning: "Tokens of context that count as large for `compaction.idleEnabled`.",
  }),
  "compaction.idleTimeoutSeconds": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS }),
    default: 300,
    project: "raise",
    meaning: "Seconds of quiet before `compaction.idleEnabled` acts.",
  }),
  "compaction.autoContinue": setting({
    type: flag,
    default: false,
    inert: true,
    project: "always",
    meaning: "Other agents add a turn after a compaction; pintle never does.",
  }),
  "branchSummary.enabled": setting({
    type: flag,
    default: false,
    project: "consent",
    meaning: "Summarize what is left behind when another branch of the session is entered.",
  }),
  "branchSummary.reserveTokens": setting({
    type: count,
    default: 16_384,
    project: "consent",
    meaning: "Tokens of the context window that the summary of a branch leaves free.",
  }),

  "retry.enabled": setting({
    type: flag,
    default: true,
    project: "lower",
    meaning: "Repeat a model call that failed for a passing reason.",
  }),
  "retry.maxRetries": setting({
    type: count,
    default: 3,
    project: "lower",
    meaning: "How often one call is repeated.",
  }),
  "retry.baseDelayMs": setting({
    type: delayMs,
    default: 2_000,
    project: "raise",
    meaning: "Pause before the first repetition; it doubles each time.",
  }),
  "retry.maxDelayMs": setting({
    type: count,
    default: 60_000,
    project: "lower",
    meaning: "Longest pause a provider may ask for; beyond it the call fails.",
  }),
  "permissions.mode": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "full",
    isStrict: true,
    project: "never",
    meaning: "What tool calls may do without being asked about: the preset. See permissions.md.",
  }),
  "permissions.rules": setting({
    type: permissionRules,
    default: NO_RULES,
    isStrict: true,
    project: "never",
    meaning: "The user's own rules: what is allowed, asked or denied, stronger than the preset.",
  }),
  "permissions.projectRules": setting({
    type: permissionRules,
    default: NO_RULES,
    project: "always",
    meaning: "Rules for the files of projects: `ask` and `deny` count, `allow` does not.",
  }),
  "permissions.roots": setting({
    type: strings,
    default: NO_ITEMS,
    project: "never",
    meaning: "Directories besides the session's own that count as inside.",
  }),
  "permissions.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "never",
    meaning: "How long the question whether a tool call may run waits; then the answer is no.",
  }),
  "permissions.maxDenials": setting({
    type: integer({ min: 0, max: 1000 }),
    default: 5,
    project: "never",
    meaning: "A run ends after so many denials; 0: never.",
  }),
  "budget.timeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "never",
    meaning: "How long a run that has used up its budget waits for the host to raise it; then it ends.",
  }),
  "retry.fallbackChains": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    isStrict: true,
    project: "consent",
    meaning: "Models to try next, per role.",
  }),
  "retry.fallbackRevertPolicy": setting({
    type: oneOf("cooldown-expiry", "never"),
    default: "cooldown-expiry",
    project: "always",
    meaning: "When to return from a fallback model to the first one.",
  }),

  "todo.enabled": setting({
    type: flag,
    default: true,
    resetInRpc: true,
    project: "always",
    meaning: "Offer the todo tool.",
  }),
  "todo.reminders": setting({
    type: flag,
    default: true,
    resetInRpc: true,
    project: "always",
    meaning: "Remind the model of unfinished tasks when it stops.",
  }),
  "todo.reminders.max": setting({
    type: count,
    default: 3,
    resetInRpc: true,
    project: "lower",
    meaning: "How often the model is reminded of unfinished tasks after one prompt.",
  }),
  "todo.eager": setting({
    type: flag,
    default: false,
    resetInRpc: true,
    project: "always",
    meaning: "Have the model write a task list for the first prompt.",
  }),
  "tasks.todoClearDelay": setting({
    type: number({ max: MAX_TIMER_SECONDS }),
    default: 60,
    project: "always",
    meaning: "Seconds after which a finished task leaves the list; 0 means at once, a negative number never.",
  }),

  "ttsr.enabled": setting({
    type: flag,
    default: true,
    project: "always",
    meaning: "Let rules with a condition watch the model's output.",
  }),
  "ttsr.contextMode": setting({
    type: oneOf("discard", "keep"),
    default: "discard",
    project: "always",
    meaning: "Whether the interrupted answer stays in the context.",
  }),
  "ttsr.interruptMode": setting({
    type: oneOf("always", "prose-only", "tool-only", "never"),
    default: "always",
    project: "always",
    meaning: "Which matches interrupt the answer; the others are noted afterwards.",
  }),
  "ttsr.repeatMode": setting({
    type: oneOf("once", "after-gap"),
    default: "once",
    project: "always",
    meaning: "Whether a rule is inserted once per session, or again after a while.",
  }),
  "ttsr.repeatGap": setting({
    type: count,
    default: 10,
    project: "raise",
    meaning: "Turns after which a rule may be inserted again, with `ttsr.repeatMode` `after-gap`.",
  }),

  "async.enabled": setting({
    type: flag,
    default: false,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Let tools run as background jobs.",
  }),
  "async.maxJobs": setting({
    type: integer({ min: 1 }),
    default: 100,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Background jobs at the same time.",
  }),
  "bash.promptWaitMs": setting({
    type: delayMs,
    default: 60_000,
    project: "consent",
    meaning: "How long the run of a prompt waits for a `bash` command that was sent before it, to have its output.",
  }),
  "bash.autoBackground.enabled": setting({
    type: flag,
    default: false,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Turn a shell command that takes long into a background job.",
  }),
  "bash.autoBackground.thresholdMs": setting({
    type: delayMs,
    default: 60_000,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Running time after which a shell command becomes a background job.",
  }),
  "task.isolation.mode": setting({
    type: oneOf("none", "worktree", "fuse-overlay", "fuse-projfs"),
    default: "none",
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "What keeps the file changes of a subagent apart.",
  }),
  "task.isolation.merge": setting({
    type: oneOf("patch", "branch"),
    default: "patch",
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "How the file changes of a subagent come back.",
  }),
  "task.isolation.commits": setting({
    type: oneOf("generic", "ai"),
    default: "generic",
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Who words the commits of a subagent.",
  }),
  "task.eager": setting({
    type: flag,
    default: false,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Encourage the model to delegate.",
  }),
  "task.maxConcurrency": setting({
    type: count,
    default: 32,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Subagents at the same time; 0 means no limit.",
  }),
  "task.maxRecursionDepth": setting({
    type: integer({ min: -1 }),
    default: 2,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "How deep subagents may start subagents; -1 means no limit.",
  }),
  "task.disabledAgents": setting({
    type: strings,
    default: NO_ITEMS,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Names of subagents that are not offered.",
  }),
  "task.agentModelOverrides": setting({
    type: stringEntries,
    default: NO_ENTRIES,
    resetInRpc: true,
    inert: true,
    project: "consent",
    meaning: "Model per subagent.",
  }),

  "tools.maxTimeout": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS }),
    default: 0,
    project: "consent",
    meaning: "Longest time limit in seconds the model may give a tool; 0 leaves it to the tool.",
  }),
  "tools.maxOutputLines": setting({
    type: integer({ min: 1 }),
    default: 2_000,
    project: "consent",
    meaning: "Lines of a tool's output that the model gets.",
  }),
  "tools.maxOutputBytes": setting({
    type: integer({ min: 1_024 }),
    default: 51_200,
    project: "consent",
    meaning: "Bytes of a tool's output that the model gets.",
  }),
  "tools.maxSpillBytes": setting({
    type: count,
    default: 268_435_456,
    project: "consent",
    meaning: "Bytes of a tool's full output that are kept in a file.",
  }),
  "tools.maxSpillTotalBytes": setting({
    type: count,
    default: 1_073_741_824,
    project: "consent",
    meaning: "Bytes of all such files of a session; the oldest are removed for a new one.",
  }),
  "mcp.loginTimeoutMs": setting({
    type: hostDeadline,
    default: 300_000,
    project: "consent",
    meaning: "How long the question to log in at an MCP server waits; then the server is not used.",
  }),
  "mcp.startTimeoutMs": setting({
    type: integer({ min: 0, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 5_000,
    project: "consent",
    meaning: "How long the first prompt waits for MCP servers to connect, in milliseconds; 0 does not wait.",
  }),
  "search.preferSystem": setting({
    type: flag,
    default: false,
    project: "consent",
    meaning: "Use the system's `rg` instead of the one that comes with pintle.",
  }),
  shellPath: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Shell for commands; without it `bash`, else `sh`.",
  }),
  shellCommandPrefix: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Text put in front of every shell command.",
  }),

  "env.withhold": setting({
    type: growingStrings,
    default: SECRET_NAMES,
    isStrict: true,
    project: "always",
    meaning:
      "Names of variables that commands, MCP servers and programs of extensions do not inherit; `*` is any text, case does not matter.",
  }),
  "env.pass": setting({
    type: growingStrings,
    default: HARMLESS_NAMES,
    project: "consent",
    meaning: "Names of variables that are inherited although `env.withhold` or the configured keys name them.",
  }),

  "traces.endpoint": setting({
    type: text,
    default: undefined,
    project: "never",
    meaning:
      "Address of an OpenTelemetry receiver (OTLP over HTTP) that gets traces and metrics. `OTEL_EXPORTER_OTLP_ENDPOINT` comes first. See traces.md.",
  }),
  "traces.headers": setting({
    type: stringEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning: "Headers of the requests to `traces.endpoint`, such as a key.",
  }),
  "traces.captureContent": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Also send what was said and what tools were given and gave back, without known secrets.",
  }),

  "sandbox.mode": setting({
    type: oneOf(...SANDBOX_MODES),
    default: "auto",
    isStrict: true,
    project: "never",
    meaning:
      "The sandbox that the model's commands run in: `workspace-write` lets them write to the session's directory and to temporary files, `read-only` to nothing; `off` runs them as they are. `auto` follows `permissions.mode`: `read-only` for `plan`, `off` for `full`, else `workspace-write`.",
  }),
  "sandbox.network": setting({
    type: oneOf("on", "off"),
    default: "off",
    isStrict: true,
    project: "never",
    meaning: "Whether commands in the sandbox can use the network.",
  }),
  "sandbox.write": setting({
    type: growingStrings,
    default: NO_ITEMS,
    project: "never",
    meaning:
      "Further files and directories that commands in the sandbox may write to: caches of build tools, for example.",
  }),
  "sandbox.hide": setting({
    type: growingStrings,
    default: NO_ITEMS,
    isStrict: true,
    project: "always",
    meaning:
      "Files and directories whose contents commands in the sandbox cannot read, besides `~/.ssh`, `~/.aws` and pintle's own.",
  }),
  "sandbox.require": setting({
    type: oneOf("full", "partial"),
    default: undefined,
    isStrict: true,
    project: "never",
    meaning:
      "The least strength of the sandbox; on a system that cannot give it, commands are refused. Without it they run with what there is, and with nothing where there is nothing.",
  }),
  "sandbox.userCommands": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether the user's own commands run in the sandbox as well.",
  }),
  "sandbox.mcp": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether MCP servers that are started as programs run in the sandbox as well.",
  }),

  extensions: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    meaning: "Extensions to load: files or directories.",
  }),
  disabledExtensions: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    meaning: "Extensions that are not loaded, as `extension-module:<name>`.",
  }),
  customTools: setting({
    type: strings,
    default: NO_ITEMS,
    project: "consent",
    meaning: "Custom tools to load; paths are relative to the settings file's directory.",
  }),
  skills: setting({
    type: strings,
    default: NO_ITEMS,
    project: "always",
    meaning: "Further skills: files or directories.",
  }),
  enableSkillCommands: setting({
    type: flag,
    default: true,
    project: "consent",
    meaning: "Offer every skill as the command `/skill:<name>`.",
  }),
  prompts: setting({
    type: strings,
    default: NO_ITEMS,
    project: "always",
    meaning: "Further prompt templates: files or directories.",
  }),

  "images.autoResize": setting({
    type: flag,
    default: true,
    project: "always",
    meaning: "Shrink images that are larger than models take.",
  }),
  "images.blockImages": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "always",
    meaning: "Never send images to a model.",
  }),

  sessionDir: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Where sessions are stored; without it `sessions` in the home directory of pintle.",
  }),
  "session.fsync": setting({
    type: oneOf("turn", "always", "never"),
    default: "turn",
    project: "consent",
    meaning: "When a session file is forced to the disk, against power loss.",
  }),
  "session.images": setting({
    type: oneOf("blob", "inline"),
    default: "blob",
    project: "consent",
    meaning: "Whether images are stored beside the session file or in it.",
  }),
  "replay.timing": setting({
    type: oneOf("none", "recorded"),
    default: "none",
    project: "consent",
    meaning: "Whether `--replay` keeps the recorded pauses.",
  }),

  "host.dialogTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    meaning: "How long a dialog without a limit of its own waits for the host.",
  }),
  "cache.lateTools": setting({
    type: oneOf("append", "hold", "announce"),
    default: "append",
    project: "consent",
    meaning:
      "What becomes of tools that come while a provider has the conversation in its cache: they follow the others in the next request, wait until nothing is lost by them, or wait and can be called by their name in a message meanwhile.",
  }),
  "host.toolTimeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    meaning: "How long a host tool may be silent.",
  }),
  "resolve.by": setting({
    type: oneOf("model", "host"),
    default: "model",
    isStrict: true,
    project: "never",
    meaning: "Who decides on previews.",
  }),
  "resolve.steering": setting({
    type: oneOf("auto", "force", "soft"),
    default: "auto",
    project: "never",
    meaning:
      "Whether the model is forced to decide on a preview, or reminded first and forced when it does not. `auto` reminds first where a forced choice would cost the provider's cache of the conversation (Anthropic).",
  }),
  "resolve.timeoutMs": setting({
    type: hostDeadline,
    default: 600_000,
    project: "never",
    meaning: "How long a preview waits for the host; then it is discarded.",
  }),
  "trust.default": setting({
    type: oneOf("closed", "ask"),
    default: "closed",
    project: "never",
    meaning: "Whether a project without consent stays closed, or someone who can answer is asked.",
  }),
  "trust.timeoutMs": setting({
    type: hostDeadline,
    default: 120_000,
    project: "never",
    meaning: "How long the question whether to trust a project waits; then the answer is no.",
  }),

  "serve.maxConnections": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Hosts that may be connected to `pintle serve` at once.",
  }),
  "serve.maxAuthFailures": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 10,
    project: "never",
    meaning:
      "Requests without the right token from one address, after which it has to wait for a minute; 0: never, for a server behind a proxy, where all come from one address.",
  }),
  "serve.maxWorkers": setting({
    type: integer({ min: 1, max: 10_000 }),
    default: 64,
    project: "never",
    meaning: "Engine processes, so also sessions that are open at once.",
  }),
  "serve.maxFrameBytes": setting({
    type: integer({ min: 1_000, max: 268_435_456 }),
    default: 33_554_432,
    project: "never",
    meaning: "Bytes of one frame from a host.",
  }),
  "serve.maxQueuedBytes": setting({
    type: integer({ min: 1_000, max: 1_073_741_824 }),
    default: 33_554_432,
    project: "never",
    meaning: "Bytes that wait for a host which does not read; then it is dropped with `lagged`.",
  }),
  "serve.maxInFlight": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Commands of one connection without an answer.",
  }),
  "serve.maxSessionsPerConnection": setting({
    type: integer({ min: 1, max: 100_000 }),
    default: 256,
    project: "never",
    meaning: "Sessions that one connection may be attached to.",
  }),
  "serve.ringFrames": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 4096,
    project: "never",
    meaning: "Frames of a session that are kept for hosts that come back.",
  }),
  "serve.ringBytes": setting({
    type: integer({ min: 0, max: 1_073_741_824 }),
    default: 8_388_608,
    project: "never",
    meaning: "Bytes of these frames; never more than `serve.maxQueuedBytes`.",
  }),
  "serve.idleMs": setting({
    type: integer({ min: 1, max: MAX_TIMER_SECONDS * 1_000 }),
    default: 300_000,
    project: "never",
    meaning: "How long a session without a run, a host and a background process keeps its process.",
  }),
  "serve.unresponsiveMs": setting({
    type: hostDeadline,
    default: 30_000,
    project: "never",
    meaning: "How long the process of a session may leave a `ping` unanswered before it is killed.",
  }),
  "serve.drainMs": setting({
    type: delayMs,
    default: 25_000,
    project: "never",
    meaning: "How long runs may go on when the server is asked to end; then they are aborted.",
  }),
  "serve.prewarm": setting({
    type: flag,
    default: false,
    project: "never",
    meaning: "Keep one engine started for the next new session.",
  }),
  "serve.workerMemoryMb": setting({
    type: integer({ min: 0, max: 1_000_000 }),
    default: 0,
    project: "never",
    meaning: "Megabytes that the engine of a session may use, where the system can limit it (Linux); 0: no limit.",
  }),
  "serve.roots": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "Directories that sessions may work in; empty means the one in which the server was started.",
  }),
  "serve.env": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning: "Names of variables that a host may set for a session.",
  }),
  "serve.node": setting({
    type: text,
    default: undefined,
    project: "never",
    meaning: "With `--store`: what this node is called; without it the name of the machine.",
  }),
  "serve.labels": setting({
    type: strings,
    default: NO_ITEMS,
    isStrict: true,
    project: "never",
    meaning:
      "With `--store`: what this node has to offer. Only sessions whose `labels` are all among them are opened here.",
  }),
  "serve.leaseMs": setting({
    type: hostDeadline,
    default: 15_000,
    project: "never",
    meaning: "With `--store`: how long a node may be silent before another one may take its sessions.",
  }),
  "serve.heartbeatMs": setting({
    type: integer({ min: 100, max: 3_600_000 }),
    default: 3_000,
    project: "never",
    meaning: "With `--store`: how often a node extends its leases; at most a third of `serve.leaseMs` counts.",
  }),
  "serve.storeTimeoutMs": setting({
    type: hostDeadline,
    default: 60_000,
    project: "never",
    meaning: "With `--store`: how long a run goes on while the database is away; then it is aborted.",
  }),
  "serve.jobs": setting({
    type: integer({ min: 0, max: 10_000 }),
    default: 2,
    project: "never",
    meaning: "With `--store`: jobs that this node runs at once; 0: it takes none.",
  }),
  "serve.onTakeover": setting({
    type: oneOf("report", "continue"),
    default: "report",
    project: "never",
    meaning:
      "With `--store`: whether a run that its node did not finish is only told (`run_interrupted`), or goes on by itself where another node takes the session.",
  }),
  "serve.maxPermissions": setting({
    type: oneOf(...PERMISSION_MODES),
    default: "workspace",
    isStrict: true,
    project: "never",
    meaning:
      "The freest preset that hosts of a server may choose, beside `permissions.mode`; with `full` they may also allow by rules and switch the sandbox off.",
  }),
  "serve.allowAlways": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether a host's `allow_always` is kept in the user's settings; otherwise it holds for the session.",
  }),
  "serve.allowKeys": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Whether hosts may store and remove API keys.",
  }),
  "terminal.keys": setting({
    type: stringListEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning: 'Keys of the terminal by action, as in `{"pickModel": ["ctrl+l"]}`; the actions are in terminal.md.',
  }),
} satisfies Record<string, SettingRow<unknown, unknown>>;

export type SettingKey = keyof typeof SETTINGS;

/** What `settings.get(key)` gives. */
export type SettingValue<K extends SettingKey> =
  (typeof SETTINGS)[K] extends SettingRow<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;

const ROWS: ReadonlyMap<string, SettingRow<unknown>> = new Map(Object.entries(SETTINGS));

/** Every key, in the order of the table. */
export const SETTING_KEYS = [...ROWS.keys()] as readonly SettingKey[];

export function isSettingKey(name: string): name is SettingKey {
  return ROWS.has(name);
}

/** The row without the type of its value, for code that treats all rows alike. */
export function settingRow(key: SettingKey): SettingRow<unknown> {
  const row = ROWS.get(key);
  if (!row) throw new SettingsError(`unknown setting ${key}`); // a caller without types
  return row;
}
