import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createSystemClock } from "@pintle/agent";
import { streamModel } from "@pintle/ai";
import { LazyProcessRunner, LazySandbox } from "@pintle/exec";
import { describeProcess, expandHome, within } from "@pintle/foundation";
import { SessionError, type SessionManager, SessionStore } from "@pintle/storage";
import { childRules } from "../config/child-rules.ts";
import { HeldReports } from "../config/held-reports.ts";
import { homeDirectory } from "../config/home-dir.ts";
import { ModelRegistry } from "../config/models/model-registry.ts";
import { sessionPlace } from "../config/session-directory.ts";
import { sandboxSettings } from "../config/settings/sandbox-settings.ts";
import { Settings } from "../config/settings/settings.ts";
import { StartUpError } from "../config/start-up-error.ts";
import { SessionModules } from "../extensibility/session-modules.ts";
import { McpServers } from "../mcp/mcp-servers.ts";
import type { Approver } from "../permissions/authorizer.ts";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import { AgentSession, type AgentSessionParts } from "../session/agent-session.ts";
import { AttachedHost } from "../session/attached-host.ts";
import type { BudgetOptions } from "../session/budgets/budget.ts";
import { SessionEmitter } from "../session/conversation/event-emitter.ts";
import { OpenConversation } from "../session/conversation/open-conversation.ts";
import { workingDirectory } from "../session/conversation/working-directory.ts";
import { ModelState } from "../session/models/model-state.ts";
import { chooseSession } from "../session/opening/session-choice.ts";
import { tidyLater } from "../session/opening/tidy-later.ts";
import { readOutputSchema } from "../session/output/output-schemas.ts";
import { PolicyState } from "../session/permissions/policy-state.ts";
import { readToolSelection } from "../session/tools/tool-selection.ts";
import { openRunTrace } from "../traces/open-run-trace.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { version } from "../version.ts";
import { agentModel, type ChildSessionsParts, childOpener } from "./child-sessions.ts";
import { lazyIsolation } from "./lazy-isolation.ts";
import { openAuth } from "./model-registry.ts";
import {
  type CreateAgentSessionOptions,
  type CreatedSession,
  inlineExtensions,
  trustAsker,
  trustFlag,
} from "./options.ts";
import { ProjectContent } from "./project-content.ts";
import { openSessionRecordings } from "./recordings.ts";
import { modelScope, selectModel } from "./select-model.ts";
import { judgeToolNames } from "./select-tools.ts";
import { StorageNotices } from "./storage-notices.ts";

/** Starts a session. If that fails, releases the lock on the conversation. */
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

/** Creates the parts of a session bottom-up; servers and modules are connected to the session at the end. */
async function wire(options: CreateAgentSessionOptions, opened: { manager?: SessionManager }): Promise<CreatedSession> {
  const { env = process.env, report = () => {} } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = options.homeDir ?? options.agentDir ?? homeDirectory(env);
  const clock = createSystemClock();

  const settings = Settings.create(cwd, home, { report, rpc: options.rpc ?? false });
  if (settings.problems.length > 0) throw new StartUpError(settings.problems.join("\n"));
  settings.applyOverrides(options.settings ?? {});
  const output = options.outputSchema && (await requireOutputSchema(options.outputSchema));
  const { additionalDirectories = [] } = options;
  if (additionalDirectories.length > 0) {
    settings.override("permissions.roots", [...settings.get("permissions.roots"), ...additionalDirectories]);
  }
  const asker = trustAsker(options);
  const userHome = env.HOME || homedir();
  const trust = await ProjectTrust.open(cwd, { home, userHome, settings, flag: trustFlag(options), report });

  const place = sessionPlace({
    cwd,
    env,
    home,
    settings,
    sessionDir: options.sessionDir,
    isForPi: options.usesPiSessions,
  });
  const notices = new StorageNotices(report);
  const store = new SessionStore({
    cwd,
    sessionDir: place.directory,
    isFlat: place.isFlat,
    blobDir: join(home, "blobs"),
    clock,
    process: describeProcess(),
    fsync: settings.get("session.fsync"),
    // Other programs that share the directory cannot read images outside the session file.
    images: place.isShared ? "inline" : settings.get("session.images"),
    notify: notices.notify,
  });
  const manager = await chooseSession(store, options.session ?? {}, cwd);
  opened.manager = manager;
  const events = new SessionEmitter();
  const host = new AttachedHost(events);
  if (options.approve) host.attach({ approve: inTime(options.approve, settings) });
  const conversation = new OpenConversation({ store, manager, cwd, emit: (event) => events.emit(event) });
  const { problem } = workingDirectory(manager.header.cwd, cwd);
  if (problem !== undefined) report(problem);

  const auth = openAuth(env, home, report);
  const recordings = await openSessionRecordings(options, {
    places: () => ({ cwd: conversation.cwd, home }),
    secrets: () => auth.knownSecrets(),
    report,
  });
  // With both options, requests that are not recorded go to the network, with the current keys and addresses.
  const recorded = options.record === undefined ? (recordings?.models ?? []) : [];
  const registry = ModelRegistry.create(auth, join(home, "models.json"), {
    report,
    offline: settings.get("models.offline"),
    recorded,
  });
  if (conversation.cwd !== cwd) await trust.review(conversation.cwd);
  if (asker) await trust.ask(asker);

  const processRunner = new LazyProcessRunner(childRules(settings, registry));
  const policy = new PolicyState({ settings, cwd: () => conversation.cwd, home });
  const sandboxParts = {
    settings: () => sandboxSettings(settings),
    env,
    home,
    roots: () => settings.get("permissions.roots").map((root) => resolve(conversation.cwd, expandHome(root))),
    preset: () => policy.mode,
    version,
  };
  const sandbox = new LazySandbox({
    ...sandboxParts,
    cwd: () => conversation.cwd,
    processRunner,
    onStatus: (status) => events.emit({ type: "sandbox_status", sandbox: status }),
  });
  await sandbox.recall();
  const mcp = new McpServers({
    isEnabled: (options.enableMCP ?? true) && options.noTools !== "all",
    home,
    env,
    trust,
    processRunner,
    sandbox,
    settings,
  });
  // Load modules before choosing the model, because an extension may provide it.
  const modules = await SessionModules.load({
    cwd,
    directory: conversation.cwd,
    home,
    settings,
    trust,
    registry,
    flagPaths: { tool: options.customToolPaths ?? [], extension: options.additionalExtensionPaths ?? [] },
    inline: inlineExtensions(options),
    hasExtensions: !options.disableExtensionDiscovery,
    extensionFlags: options.extensionFlags ?? new Map(),
    processRunner,
    reloaded: () => void mcp.review(), // never rejects: it warns
    publicExports: options.publicExports ?? (async () => ({})),
    ownsProcess: options.ownsProcess ?? false,
  });
  const hasFaults = () => modules.faults.length > 0;
  const isWithheld = () => trust.state === "withheld";
  options.checkFlags?.({ types: modules.flagTypes, hasFaults: hasFaults(), isWithheld: isWithheld() });

  const stored = manager.buildContext();
  const choice = await selectModel(options, {
    registry,
    auth,
    settings,
    ...(recorded[0] && { recorded: recorded[0] }),
    ...(stored.model && { stored: { ...stored.model, thinkingLevel: stored.thinkingLevel } }),
  });
  const models = new ModelState({
    registry,
    settings,
    model: choice.model,
    thinkingLevel: choice.thinkingLevel,
    scope: modelScope(registry, options.flags?.models ?? settings.get("enabledModels"), report),
    cacheKey: () => options.providerSessionId ?? conversation.manager.cacheKey,
  });
  const provider = options.stream ?? streamModel;
  const stream = recordings ? recordings.wrap(provider) : provider;
  const trace = await openRunTrace({
    env,
    settings,
    version,
    sessionId: () => conversation.manager.sessionId,
    secrets: () => auth.knownSecrets(),
    warn: report,
  });
  const resources = {
    ...options.resources,
    userHome,
    isTrusted: () => trust.isTrusted,
    ...(options.systemPrompt !== undefined && { systemPrompt: options.systemPrompt }),
    appendSystemPrompt: options.appendSystemPrompt ?? [],
  };
  const loadAgents: AgentSessionParts["loadAgents"] = async (directory, warn) => {
    const { loadAgents } = await import("../agents/load-agents.ts");
    return loadAgents({
      cwd: directory,
      home,
      userHome,
      trust,
      disabled: settings.get("task.disabledAgents"),
      given: (options.agents ?? []).map((agent) => ({ ...agent, source: "user" })),
      warn,
    });
  };
  const isolation = lazyIsolation({ home, userHome, processRunner: () => processRunner.open() });
  const childParts: ChildSessionsParts = {
    isolation,
    home,
    clock,
    settings,
    store,
    registry,
    streamFor: ({ facts: { place } }, directory) =>
      recordings ? recordings.wrap(provider, { place, cwd: () => directory }) : provider,
    resources,
    hasRules: options.rules ?? true,
    loadAgents,
    mcp: { home, env, trust, settings },
    sandbox,
    sandboxIn: (directory, runner, emitter) =>
      new LazySandbox({
        ...sandboxParts,
        cwd: () => directory,
        processRunner: runner,
        onStatus: (status) => emitter.emit({ type: "sandbox_status", sandbox: status }),
      }),
  };
  const session = new AgentSession({
    cwd,
    home,
    clock,
    settings,
    store,
    events,
    host,
    conversation,
    policy,
    processRunner,
    sandbox,
    mcp,
    project: new ProjectContent({ trust, modules, mcp }),
    models,
    resources,
    loadAgents,
    tools: options.agentTools ?? [],
    toolSelection: readToolSelection(options),
    hasRules: options.rules ?? true,
    ...(options.resolvePreview && { resolvePreview: options.resolvePreview }),
    stream,
    trace,
    openChild: childOpener(childParts),
    isolation,
    agentModel: (agent) => agentModel(agent, childParts),
  });
  notices.emitWith((event) => events.emit(event));
  if (options.policy) session.permissions.setHostRules(options.policy);
  session.output.default = output;
  if (options.budget) setBudget(session, options.budget);
  modules.attach(session);
  if (asker) session.consent.askOf(asker);
  judgeToolNames(session, options, { report, mayKnowMore: hasFaults() || isWithheld() });
  if (options.ownsProcess) {
    tidyLater({ directories: [home, join(home, "blobs"), cwd], trees: [place.directory], temporary: tmpdir() });
  }
  return {
    session,
    registry,
    modules,
    mcp,
    trust,
    ...(choice.notice !== undefined && { modelFallbackMessage: choice.notice }),
    storageNotices: notices.held,
  };
}

function setBudget({ budget }: AgentSession, options: BudgetOptions): void {
  try {
    budget.set(options);
  } catch (error) {
    throw error instanceof SessionError ? new StartUpError(`budget: ${error.message}`) : error;
  }
}

/** Denies if the answer does not arrive in time, as for hosts over the wire. */
function inTime(approve: Approver, settings: Settings): Approver {
  return async (question, signal) => {
    const answer = await within(settings.get("permissions.timeoutMs"), approve(question, signal));
    return answer ?? { decision: "deny", by: "timeout" };
  };
}

/** Checks the schema before anything starts. */
async function requireOutputSchema(schema: object): Promise<CheckedOutputSchema> {
  try {
    return await readOutputSchema(schema);
  } catch (error) {
    throw error instanceof SessionError ? new StartUpError(error.message) : error;
  }
}
