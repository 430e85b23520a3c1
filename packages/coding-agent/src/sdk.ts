import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createSystemClock, nearNames, type Tool } from "@pintle/agent";
import { type Model, offlineModel, type StreamModel, streamModel } from "@pintle/ai";
import type { PermissionRule } from "@pintle/wire";
import { within } from "./async/deadline.ts";
import { childRules } from "./config/child-rules.ts";
import { HeldReports } from "./config/held-reports.ts";
import { homeDirectory } from "./config/home-dir.ts";
import { AuthStorage } from "./config/keys/auth-storage.ts";
import type { Environment } from "./config/keys/environment.ts";
import { runSecretCommand } from "./config/keys/run-command.ts";
import { chooseDefaultModel, type DefaultModelInput } from "./config/models/default-model.ts";
import { resolveModelScope } from "./config/models/model-pattern.ts";
import { ModelRegistry } from "./config/models/model-registry.ts";
import { sessionPlace } from "./config/session-directory.ts";
import { Settings, type SettingsInput } from "./config/settings/settings.ts";
import { StartUpError } from "./config/start-up-error.ts";
import { type GivenTool, toolsExtension } from "./extensibility/api/defined-tools.ts";
import type { ExtensionFactory } from "./extensibility/api/extension-types.ts";
import type { GivenFlags } from "./extensibility/api/flags.ts";
import { SessionModules } from "./extensibility/session-modules.ts";
import { expandHome } from "./files/expand-home.ts";
import { McpServers } from "./mcp/mcp-servers.ts";
import type { Approver } from "./permissions/gate.ts";
import type { PreviewResolver } from "./previews/previews.ts";
import { LazyGateway } from "./processes/lazy-gateway.ts";
import type { Recordings, RecordingsOptions } from "./replay/recordings.ts";
import type { ResourceWishes } from "./resources/load-resources.ts";
import { SessionResources } from "./resources/session-resources.ts";
import { LazySandbox } from "./sandbox/lazy-sandbox.ts";
import { AgentSession } from "./session/agent-session.ts";
import type { BudgetWish } from "./session/budgets/budget.ts";
import { workingDirectory } from "./session/conversation/working-directory.ts";
import { ModelState, type ScopedModel } from "./session/models/model-state.ts";
import { chooseSession, type SessionChoice } from "./session/opening/session-choice.ts";
import { tidyLater } from "./session/opening/tidy-later.ts";
import type { ToolSelection } from "./session/tools/tool-registry.ts";
import { describeProcess } from "./storage/file/process-identity.ts";
import type { StorageNotice } from "./storage/file/session-file.ts";
import { SessionError } from "./storage/session-error.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import { SessionStore } from "./storage/session-store.ts";
import { isFamilyName, namesMeant } from "./tools/family-names.ts";
import { openRunTrace } from "./traces/open-run-trace.ts";
import type { TrustAsker, TrustRequest } from "./trust/ask-for-trust.ts";
import { ProjectTrust } from "./trust/project-trust.ts";
import { withheldText } from "./trust/trust-texts.ts";
import { version } from "./version.ts";

/** Nothing but true is a yes. */
export type AskTrust = (request: TrustRequest) => Promise<boolean>;

export interface CreateAgentSessionOptions {
  cwd?: string;
  /** pintle's own directory; `agentDir` is the same. Without it the environment decides. */
  homeDir?: string;
  agentDir?: string;
  env?: Environment;
  flags?: DefaultModelInput["flags"];
  /** A notice is not read before the first prompt: a session whose model cannot be used any more is an error. */
  isUnattended?: boolean;
  /** Key for the provider of the chosen model, for this process only. */
  apiKey?: string;
  /** Which conversation to open; without it a new one. */
  session?: SessionChoice;
  /** Stronger than the environment and the settings. */
  sessionDir?: string;
  /** Sessions are where pi has them, if pi is there and nothing else names a place. */
  usesPiSessions?: boolean;
  /** Sent to providers instead of the session's id. */
  providerSessionId?: string;
  systemPrompt?: string;
  /**
   * Whether code and stronger settings of the project may act: "open" (or "trusted") for `cwd`, whatever the content there,
   * "closed" for every directory, or who is asked about content without consent. Without it stored consent
   * decides, as it does for another directory that a session file names.
   */
  trust?: "open" | "trusted" | "closed" | AskTrust | TrustAsker | undefined;
  /** Who is asked about another directory when `trust` is "open". */
  askTrust?: TrustAsker | undefined;
  /** Which context files, skills and templates are looked for. */
  resources?: ResourceWishes;
  appendSystemPrompt?: readonly string[];
  /** Strongest layer of the settings, dotted or nested keys. */
  settings?: SettingsInput;
  /** Directories that are inside besides those of the setting `permissions.roots`. */
  additionalDirectories?: readonly string[];
  /** Some settings have other defaults when a program drives us. */
  rpc?: boolean;
  /** Problems with configuration files, one text each. */
  report?: (problem: string) => void;
  /** Further tools in pintle's own shape, beside the built-in ones. */
  agentTools?: readonly Tool[];
  /** Modules with custom tools, besides those in the user's folder and settings. */
  customToolPaths?: readonly string[];
  /** Extensions as functions; shown as `<inline:N>`. */
  extensions?: readonly ExtensionFactory[];
  /** Tools with the arguments of extensions' tools, or made with `defineCustomTool`. */
  customTools?: readonly GivenTool[];
  /** Extensions, besides those in the user's folder and settings. */
  additionalExtensionPaths?: readonly string[];
  /** Only those are loaded. */
  disableExtensionDiscovery?: boolean;
  /** Options of the command line for extensions. */
  extensionFlags?: GivenFlags;
  /** Called when extensions are loaded, before anything is asked of a model or a server; throws to refuse the start. */
  checkFlags?(loaded: LoadedFlags): void;
  /** What the name of the package stands for in users' modules. */
  publicExports?(): Promise<object>;
  /** This process is pintle's alone: a module that throws where it cannot be caught does not end it. */
  ownsProcess?: boolean;
  /** Names of the tools the model is offered; all but the hidden ones when not given. */
  tools?: readonly string[];
  /** Names of tools that are never offered, wherever they come from but the host. */
  excludeTools?: readonly string[];
  /** Stronger than `tools`. */
  noTools?: "all" | "builtin";
  /** False: no MCP servers. */
  enableMCP?: boolean;
  /** False: no rules. */
  rules?: boolean;
  /** Rules stronger than all others, as `set_policy` gives them. */
  policy?: readonly PermissionRule[];
  /** Asked about tool calls that preset and rules neither allow nor deny. Without it they are denied. */
  approve?: Approver;
  /** What runs may use, as `set_budget` gives it. Ending at a limit unless `session.budget.waiter` is set. */
  budget?: BudgetWish;
  /** Decides on previews when the setting `resolve.by` is "host". */
  resolvePreview?: PreviewResolver;
  /** Directory in which every exchange with a provider is stored. */
  record?: string;
  /** Directory that answers in the place of the providers. */
  replay?: string;
  /** How many times as fast as recorded; without it the setting `replay.timing` decides. */
  replaySpeed?: number;
  /** Replaces the provider layer. */
  stream?: StreamModel;
}

/** Which options extensions know, and whether they are all there. */
export interface LoadedFlags {
  types: SessionModules["flagTypes"];
  /** An extension could not be loaded. */
  hasFaults: boolean;
  /** Code of the project waits for consent. */
  isWithheld: boolean;
}

export interface CreatedSession {
  session: AgentSession;
  registry: ModelRegistry;
  trust: ProjectTrust;
  /** What became of the user's modules, and what of the project was not loaded. */
  modules: SessionModules;
  /** Connections to MCP servers; nothing happens before `start()`. */
  mcp: McpServers;
  /** Why it is not the model one may expect. */
  modelFallbackMessage?: string;
  /** What the session store reported before the session could; also in `report`. */
  storageNotices: readonly StorageNotice[];
}

export function createModelRegistry(
  env: Environment,
  report: (problem: string) => void,
  { home = homeDirectory(env), ...options }: { home?: string; offline?: boolean; recorded?: readonly Model[] } = {},
) {
  const auth = AuthStorage.create(join(home, "auth.json"), { env, report, runCommand: runSecretCommand });
  return { auth, registry: ModelRegistry.create(auth, join(home, "models.json"), { report, ...options }) };
}

/** Wires a session from its parts; decides nothing itself. A conversation that was opened in vain does not stay locked. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreatedSession> {
  const opened: { manager?: SessionManager } = {};
  const reports = new HeldReports(options.report ?? (() => {}));
  try {
    return await wire({ ...options, report: reports.add }, opened);
  } catch (error) {
    opened.manager?.close();
    if (error instanceof StartUpError) reports.drop(error.message);
    throw error;
  } finally {
    reports.release();
  }
}

async function wire(options: CreateAgentSessionOptions, opened: { manager?: SessionManager }): Promise<CreatedSession> {
  const { env = process.env, report = () => {} } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = options.homeDir ?? options.agentDir ?? homeDirectory(env);
  const clock = createSystemClock();
  const settings = Settings.create(cwd, home, {
    report,
    rpc: options.rpc ?? false,
  });
  if (settings.problems.length > 0) throw new StartUpError(settings.problems.join("\n"));
  settings.applyOverrides(options.settings ?? {});
  const { additionalDirectories = [] } = options;
  if (additionalDirectories.length > 0) {
    settings.override("permissions.roots", [...settings.get("permissions.roots"), ...additionalDirectories]);
  }
  const asker = toAsker(options.trust) ?? options.askTrust;
  const trust = await ProjectTrust.open(cwd, { home, settings, flag: trustFlag(options), report });

  let session: AgentSession | undefined;
  let mcp: McpServers | undefined;
  const recordings = await openSessionRecordings(options, {
    timing: settings.get("replay.timing"),
    places: () => ({ cwd: session?.cwd ?? cwd, home }),
    secrets: () => auth.knownSecrets(),
    report,
  });
  // With both, what is not recorded goes to the network, with the keys and addresses of today.
  const recorded = options.record === undefined ? (recordings?.models ?? []) : [];
  const { registry, auth } = createModelRegistry(env, report, {
    home,
    offline: settings.get("models.offline"),
    recorded,
  });
  const { sessionDir, usesPiSessions: isForPi } = options;
  const place = sessionPlace({ cwd, env, home, settings, sessionDir, isForPi });
  const storageNotices: StorageNotice[] = [];
  const store = new SessionStore({
    cwd,
    sessionDir: place.directory,
    isFlat: place.isFlat,
    blobDir: join(home, "blobs"),
    clock,
    process: describeProcess(),
    fsync: settings.get("session.fsync"),
    // Programs that share the place know no images outside of the file.
    images: place.isShared ? "inline" : settings.get("session.images"),
    notify(notice) {
      if (session) session.emit({ type: "notice", ...notice, source: "session" });
      else {
        storageNotices.push(notice);
        report(notice.message);
      }
    },
  });
  const manager = await chooseSession(store, options.session ?? {}, cwd);
  opened.manager = manager;
  const stored = manager.buildContext();
  const { cwd: directory, problem } = workingDirectory(manager.header.cwd, cwd);
  if (problem !== undefined) report(problem);
  if (directory !== cwd) await trust.review(directory);
  if (asker) await trust.ask(asker);

  // First: the model may be one that an extension brings.
  const gateway = new LazyGateway(childRules(settings, registry));
  const sandbox = new LazySandbox({
    settings,
    env,
    home,
    cwd: () => session?.cwd ?? directory,
    roots: () => settings.get("permissions.roots").map((root) => resolve(session?.cwd ?? directory, expandHome(root))),
    preset: () => session?.permissions.mode ?? settings.get("permissions.mode"),
    version,
    gateway,
    onStatus: (status) => session?.emit({ type: "sandbox_status", sandbox: status }),
  });
  await sandbox.recall();
  const modules = await SessionModules.load({
    cwd,
    directory,
    home,
    settings,
    trust,
    registry,
    flagPaths: { tool: options.customToolPaths ?? [], extension: options.additionalExtensionPaths ?? [] },
    inline: inlineExtensions(options),
    hasExtensions: !options.disableExtensionDiscovery,
    extensionFlags: options.extensionFlags ?? new Map(),
    gateway,
    // A review of MCP servers does not reject: it warns.
    reloaded: () => void mcp?.review(),
    publicExports: options.publicExports ?? (async () => ({})),
    ownsProcess: options.ownsProcess ?? false,
  });
  options.checkFlags?.({
    types: modules.flagTypes,
    hasFaults: modules.faults.length > 0,
    isWithheld: trust.state === "withheld",
  });
  const choice = await chooseDefaultModel({
    registry,
    flags: options.flags,
    hasGivenKey: options.apiKey !== undefined || options.stream !== undefined,
    isUnattended: options.isUnattended ?? false,
    ...(recorded[0] && { recorded: recorded[0] }),
    ...(stored.model && { stored: { ...stored.model, thinkingLevel: stored.thinkingLevel } }),
    settings: {
      defaultProvider: settings.get("defaultProvider"),
      defaultModel: settings.get("defaultModel"),
      defaultThinkingLevel: settings.get("defaultThinkingLevel"),
      probeLocal: settings.get("models.probeLocal"),
    },
  });
  if ("error" in choice) throw new StartUpError(choice.error);
  if (options.apiKey !== undefined) {
    const isNamed = options.flags?.model !== undefined || options.flags?.provider !== undefined;
    if (!isNamed && choice.model.provider === offlineModel.provider) {
      throw new StartUpError("--api-key needs a provider: name one with --provider or --model");
    }
    auth.setRuntimeApiKey(choice.model.provider, options.apiKey);
  }

  const trace = await openRunTrace({
    env,
    settings,
    version,
    sessionId: () => created.manager.sessionId,
    secrets: () => auth.knownSecrets(),
    warn: report,
  });
  const created: AgentSession = new AgentSession({
    cwd,
    store,
    manager,
    settings,
    models: new ModelState({
      registry,
      settings,
      model: choice.model,
      thinkingLevel: choice.thinkingLevel,
      scope: modelScope(registry, options.flags?.models ?? settings.get("enabledModels"), report),
      cacheKey: () => options.providerSessionId ?? created.manager.cacheKey,
    }),
    resources: new SessionResources({
      ...options.resources,
      home,
      userHome: env.HOME || homedir(),
      settings,
      isTrusted: () => trust.isTrusted,
      ...(options.systemPrompt !== undefined && { systemPrompt: options.systemPrompt }),
      appendSystemPrompt: options.appendSystemPrompt ?? [],
      rules: () => created.promptRules(),
      servers: () => created.serverTexts(),
      conversation: () => ({ key: created.manager.cacheKey, startedAt: created.manager.startedAt }),
      warn: (message) => created.emit({ type: "notice", level: "warning", message, source: "resources" }),
      now: clock.now,
    }),
    askConsent: async (asker, signal) => {
      if (trust.state !== "withheld") return;
      if ((await trust.ask(asker, signal)) !== "trusted") return;
      await modules.loadConsented();
      // does not reject: it warns
      void mcp?.review();
    },
    withheld: () => withheldText(trust),
    enterDirectory: async (directory) => {
      await trust.review(directory);
      await modules.enter(directory);
      // does not reject: it warns
      void mcp?.review();
    },
    mcp: {
      status: async () => (await mcp?.status()) ?? [],
      reload: async () => {
        await trust.review(); // the project's files may be others now
        await mcp?.reload();
        if (trust.state === "withheld") created.askConsentAgain();
      },
      logIn: async () => mcp?.logIn(),
      setHostServers: async (definitions) => mcp?.setHostServers(definitions),
      beforePrompt: async (signal) => mcp?.beforePrompt(signal),
      instructions: () => mcp?.instructions() ?? "",
      commands: () => mcp?.commands() ?? [],
      expand: async (text, signal) => mcp?.expand(text, signal),
      mentions: (text) => mcp?.mentions(text) ?? false,
      attach: async (prompt, typed, signal) => mcp?.attach(prompt, typed, signal) ?? prompt,
      complete: async (query, limit) => mcp?.complete(query, limit),
    },
    home,
    gateway,
    sandbox,
    tools: options.agentTools ?? [],
    toolSelection: toSelection(options),
    hasRules: options.rules ?? true,
    ...(options.resolvePreview && { resolvePreview: options.resolvePreview }),
    stream: recordings ? recordings.wrap(options.stream ?? streamModel) : (options.stream ?? streamModel),
    trace,
    clock,
  });
  session = created;
  if (options.policy) created.permissions.setHostRules(options.policy);
  if (options.budget) setBudget(created, options.budget);
  if (options.approve) created.permissions.approver = inTime(options.approve, settings);
  const servers = new McpServers({
    isEnabled: (options.enableMCP ?? true) && options.noTools !== "all",
    home,
    env,
    trust,
    gateway,
    sandbox,
    settings,
    session: {
      cwd: () => created.cwd,
      offer: (tools) => created.tooling.setMcp(tools),
      warn: (message) => created.emit({ type: "notice", level: "warning", message, source: "mcp" }),
      status: (server) => created.emit({ type: "mcp_status", server }),
      commandsChanged: () => created.announceCommands(),
      newSpillPath: (tool) => created.tooling.newSpillPath(tool),
      takesImages: () => created.model.input.includes("image"),
      traceOf: (toolCallId) => created.trace.headersOf(toolCallId),
      askLogin: (request) => created.askLogin(request),
      person: {
        dialogs: () => created.tooling.reachableDialogs,
        runSignal: () => created.runSignal,
        inform: (message) => created.emit({ type: "notice", level: "info", message, source: "mcp" }),
      },
    },
  });
  mcp = servers;
  created.onChange(({ kind }) => (kind === "shutdown" ? servers.close() : undefined));
  if (trace.recorder) created.onChange(({ kind }) => (kind === "shutdown" ? trace.recorder?.close() : undefined));
  modules.attach(created);
  if (asker) created.askConsent(asker);
  const mayKnowMore = modules.faults.length > 0 || trust.state === "withheld";
  judgeToolNames(created, options, { report, mayKnowMore });
  if (options.ownsProcess) {
    tidyLater({ directories: [home, join(home, "blobs"), cwd], trees: [place.directory], temporary: tmpdir() });
  }
  return {
    session,
    registry,
    modules,
    mcp: servers,
    trust,
    ...(choice.notice !== undefined && { modelFallbackMessage: choice.notice }),
    storageNotices,
  };
}

function setBudget({ budget }: AgentSession, wish: BudgetWish): void {
  try {
    budget.set(wish);
  } catch (error) {
    throw error instanceof SessionError ? new StartUpError(`budget: ${error.message}`) : error;
  }
}

function trustFlag({ trust }: CreateAgentSessionOptions): "open" | "closed" | undefined {
  if (trust === "trusted") return "open";
  return typeof trust === "string" ? trust : undefined;
}

function toAsker(trust: CreateAgentSessionOptions["trust"]): TrustAsker | undefined {
  if (typeof trust !== "function") return typeof trust === "object" ? trust : undefined;
  return {
    by: "host",
    ask: async (request) => ({ isTrusted: (await trust(request)) === true, isRemembered: false }),
  };
}

function inlineExtensions({ extensions = [], customTools = [] }: CreateAgentSessionOptions): ExtensionFactory[] {
  return customTools.length === 0 ? [...extensions] : [...extensions, toolsExtension(customTools)];
}

/** Loaded only by those who use it. */
async function openSessionRecordings(
  { record, replay, replaySpeed, cwd = process.cwd() }: CreateAgentSessionOptions,
  rest: Omit<RecordingsOptions, "record" | "replay" | "speed">,
): Promise<Recordings | undefined> {
  if (record === undefined && replay === undefined) return undefined;
  const [{ openRecordings }, { RecordingsError }] = await Promise.all([
    import("./replay/recordings.ts"),
    import("./replay/recording/recording-directory.ts"),
  ]);
  const inCwd = (directory: string | undefined) => (directory === undefined ? undefined : resolve(cwd, directory));
  try {
    return openRecordings({ ...rest, record: inCwd(record), replay: inCwd(replay), speed: replaySpeed });
  } catch (error) {
    throw error instanceof RecordingsError ? new StartUpError(error.message) : error;
  }
}

/** A misspelt name among those to leave out would leave the tool in: without a host that reads warnings this refuses the start. */
function judgeToolNames(
  { toolRegistry }: AgentSession,
  { tools = [], excludeTools = [], isUnattended = false }: CreateAgentSessionOptions,
  { report, mayKnowMore }: { report(problem: string): void; mayKnowMore: boolean },
): void {
  const known = toolRegistry.names();
  for (const name of [...tools, ...excludeTools]) {
    if (name.startsWith("mcp__") || isFamilyName(name) || namesMeant(name).some((one) => known.includes(one))) continue;
    const [near] = nearNames(name, known);
    const problem = `there is no tool "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
    if (isUnattended && !mayKnowMore && excludeTools.includes(name)) throw new StartUpError(problem);
    report(problem);
  }
}

function toSelection({ tools, excludeTools, noTools }: CreateAgentSessionOptions): ToolSelection {
  const except = excludeTools?.flatMap(namesMeant) ?? [];
  if (noTools === "all") return { only: [], except };
  return { ...(tools && { only: tools.flatMap(namesMeant) }), except, noBuiltin: noTools === "builtin" };
}

function modelScope(
  registry: ModelRegistry,
  patterns: readonly string[],
  report: (problem: string) => void,
): ScopedModel[] {
  if (patterns.length === 0) return [];
  const { choices, warnings } = resolveModelScope(patterns, { models: registry.getAvailable() });
  warnings.forEach(report);
  return choices;
}

/** An answer that does not come in time is a denial, as it is for hosts over the wire. */
function inTime(approve: Approver, settings: Settings): Approver {
  return async (question, signal) => {
    const answer = await within(settings.get("permissions.timeoutMs"), approve(question, signal));
    return answer ?? { decision: "deny", by: "timeout" };
  };
}
