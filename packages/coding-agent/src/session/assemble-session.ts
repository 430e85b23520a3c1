import { Agent, buildContext, type Clock, type Tool } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import type { LazyProcessRunner, LazySandbox } from "@pintle/exec";
import type { SessionStore } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { Agents } from "../agents/load-agents.ts";
import type { ModelChoice } from "../config/models/model-pattern.ts";
import type { Settings } from "../config/settings/settings.ts";
import { BackgroundJobs } from "../jobs/background-jobs.ts";
import { JOB_RECORD_TYPE } from "../jobs/job-records.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import { ApprovedPaths } from "../permissions/approved-paths.ts";
import { ApprovedScripts } from "../permissions/approved-scripts.ts";
import type { PreviewResolver } from "../previews/previews.ts";
import type { ResourceOptions } from "../resources/load-resources.ts";
import { SessionResources, type SessionResourcesParts } from "../resources/session-resources.ts";
import type { Isolation } from "../subagents/isolation.ts";
import { Subagents } from "../subagents/subagents.ts";
import type { RunTrace } from "../traces/run-trace.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { AttachedHooks, NO_HOOKS } from "./attached-hooks.ts";
import type { AttachedHost } from "./attached-host.ts";
import { SessionChanges } from "./changes/session-changes.ts";
import { SessionHandover } from "./changes/session-handover.ts";
import { SessionLifecycle } from "./changes/session-lifecycle.ts";
import { StoredSessions } from "./changes/stored-sessions.ts";
import { describeQueue } from "./conversation/describe-queue.ts";
import type { SessionEmitter } from "./conversation/event-emitter.ts";
import { HeldMessages } from "./conversation/held-messages.ts";
import type { OpenConversation } from "./conversation/open-conversation.ts";
import { QueueUpdates } from "./conversation/queue-updates.ts";
import { Recorder } from "./conversation/recorder.ts";
import { createDelegation } from "./delegation.ts";
import type { FamilyParts, OpenChild } from "./family.ts";
import { createAskLogin } from "./login-question.ts";
import { ModelControl } from "./models/model-control.ts";
import type { ModelState } from "./models/model-state.ts";
import { storedOutputSchema } from "./output/output-schemas.ts";
import type { PolicyState } from "./permissions/policy-state.ts";
import { CacheGuard } from "./policies/cache-guard.ts";
import { createPolicies } from "./policies/policy-list.ts";
import { SessionTodos } from "./policies/session-todos.ts";
import { SessionProcesses } from "./processes/session-processes.ts";
import { Prompting } from "./prompting/prompting.ts";
import { SessionCommands } from "./prompting/session-commands.ts";
import { SettledText } from "./prompting/settled-text.ts";
import { RunStarter } from "./prompting/start-run.ts";
import { SessionSystemPrompt } from "./prompting/system-prompt.ts";
import { RequestBase } from "./requests/request-base.ts";
import { RunResults } from "./results/run-results.ts";
import { ChangeLock } from "./runs/change-lock.ts";
import { Consent } from "./runs/consent.ts";
import { Interruptions } from "./runs/interruption.ts";
import { RunController } from "./runs/run-controller.ts";
import { SessionTitles } from "./titles/session-titles.ts";
import { Completions } from "./tools/completions.ts";
import { createSessionPreviews } from "./tools/session-previews.ts";
import { SessionTools } from "./tools/session-tools.ts";
import type { ToolSelection } from "./tools/tool-selection.ts";
import { SessionUndo } from "./undo/session-undo.ts";

/** Access to the project content of the session's directory, as far as the user has consented to it. */
export interface ProjectAccess {
  /** Asks for consent to project content. Resolves when the approved content is loaded. */
  askConsent(asker: TrustAsker, signal: AbortSignal): Promise<void>;
  /** Describes what waits for consent. Returns undefined if nothing does. */
  withheld(): string | undefined;
  /** Loads the project content of another directory, as far as the user has consented to it. */
  enter(cwd: string): Promise<void>;
}

export interface AgentSessionParts {
  /** The directory that relative paths start from; the session's own directory may differ. */
  cwd: string;
  /** The configuration directory of pintle. */
  home: string;
  clock: Clock;
  settings: Settings;
  store: SessionStore;
  events: SessionEmitter;
  /** The program that drives the session. */
  host: AttachedHost;
  conversation: OpenConversation;
  /** Permission preset and rules. */
  policy: PolicyState;
  processRunner: LazyProcessRunner;
  /** Starts commands. */
  sandbox: LazySandbox;
  /** Servers whose tools are added as they connect. */
  mcp: McpServers;
  project: ProjectAccess;
  models: ModelState;
  resources: Pick<
    SessionResourcesParts,
    "userHome" | "isTrusted" | "systemPrompt" | "appendSystemPrompt" | keyof ResourceOptions
  >;
  /** Finds the kinds of subagents for a directory. */
  loadAgents(cwd: string, warn: (text: string) => void): Promise<Agents>;
  /** Tools of the program that embeds the session. */
  tools: readonly Tool[];
  toolSelection: ToolSelection;
  /** False turns off rules that watch the model's output. */
  hasRules: boolean;
  /** Decides previews in this process. */
  resolvePreview?: PreviewResolver;
  stream: StreamModel;
  /** The trace that runs belong to. */
  trace: RunTrace;
  /** Set in the session of a subagent. */
  family?: FamilyParts;
  /** Opens the session of a subagent. */
  openChild: OpenChild;
  /** Returns the model of a kind of subagent, if it is not its parent's. */
  agentModel(agent: AgentDefinition): { choice?: ModelChoice; warning?: string };
  /** Creates separate directories for subagents. */
  isolation?: Isolation;
}

export type SessionOwners = ReturnType<typeof assembleSession>;

/**
 * Creates the objects that own a session's state. Each receives only objects that were created before it, and none knows the
 * session. What several of them share comes first: the emitter, the message log, the conversation and the change lock.
 */
export function assembleSession(parts: AgentSessionParts) {
  const { settings, clock, events, host, conversation, models: modelState, mcp, project, home, trace } = parts;
  const stream = trace.recorder?.wrap(parts.stream) ?? parts.stream;

  if (trace.recorder) events.subscribe(trace.recorder.onEvent, { updates: false });
  const emit = (event: AgentSessionEvent) => events.emit(event);
  const extensions = new AttachedHooks();
  const hooks = extensions.current;
  const { family } = parts;
  const changeLock = new ChangeLock();

  const { log, schemas } = conversation;
  const manager = () => conversation.manager;
  const cwd = () => conversation.cwd;
  const firstDirectory = conversation.cwd;
  const sessionFile = () => manager().sessionFile;
  const results = new RunResults({
    now: clock.now,
    cwd,
    session: manager,
    findModel: (provider, id) => {
      const { current } = modelState;
      return current.provider === provider && current.id === id ? current : modelState.find(provider, id);
    },
  });
  const held = new HeldMessages({
    store: (message) => conversation.store(message),
    join: (message) => log.add(message),
  });
  const models = new ModelControl({
    models: modelState,
    manager,
    emit,
    hooks,
    admit: (model) => budget.requirePrice(model),
  });

  const { processRunner, sandbox } = parts;
  const processes = new SessionProcesses({
    settings,
    processRunner,
    sandbox,
    cwd,
    sessionFile,
    now: clock.now,
    hooks,
    recorder() {
      const startedIn = conversation.manager;
      return (message) => {
        if (conversation.manager === startedIn) held.add(message);
        else void conversation.appendTo(startedIn, message); // never rejects: it warns
      };
    },
  });
  const previews = createSessionPreviews({ ...parts, emit });
  const jobs = new BackgroundJobs({
    now: clock.now,
    maxJobs: () => settings.get("async.maxJobs"),
    isWanted: () => {
      if (family) return false; // only the model that the user talks to has background jobs
      const isExplicit = settings.origin("async.enabled").layer === "override";
      return settings.get("async.enabled") || (host.wantsAsyncWork && !isExplicit);
    },
    session: () => ({ id: manager().sessionId, entries: () => manager().entries() }),
    record: (record) => void manager().appendCustom(JOB_RECORD_TYPE, record),
    emit,
    startRun: (message) => prompting.sendCustom(message, { triggerTurn: true }),
    isIdle: () => !agent.isRunning && !compaction.isCompacting && !changeLock.isHeld,
  });
  events.subscribe(
    ({ type }) => {
      if (type === "agent_settled") void jobs.deliver(); // does not reject
    },
    { updates: false },
  );
  const warnOfAgents = (message: string) => emit({ type: "notice", level: "warning", message, source: "agents" });
  const subagents =
    family?.subagents ??
    new Subagents({
      emit,
      sessionFile,
      loadAgents: () => parts.loadAgents(cwd(), warnOfAgents),
      maxConcurrency: () => settings.get("task.maxConcurrency"),
    });
  const requests = new RequestBase();
  const todos = new SessionTodos({ settings, clock, manager, emit, isWaiting: () => previews.hasPending });
  const approved = new ApprovedPaths();
  const scripts = new ApprovedScripts();
  const guard = new CacheGuard({ emit, now: clock.now });
  conversation.onContextReplaced((change) => guard.contextChanged(change));
  /**
   * Returns true if changing the tools or the system prompt cannot cost cached tokens. With "announce", late tools are
   * callable anyway, so a summary keeps its cache.
   */
  const mayChangeHead = () =>
    settings.get("cache.lateTools") === "announce" ? guard.isHeadCold : guard.isCold(modelState.current);
  const beforeWrite = (real: string) => {
    results.active?.beforeWrite(real);
    family?.beforeWrite(real);
  };
  const delegation = createDelegation({
    family,
    subagents,
    settings,
    jobs,
    requests,
    host,
    hooks,
    results,
    conversation,
    policy: parts.policy,
    models: modelState,
    previews,
    trace,
    ready: events.ready,
    now: clock.now,
    newSpillPath: () => processes.newSpillPath("task"),
    serverInstructions: () => serverInstructions(),
    abortGraceMs: () => abortGraceMs(),
    beforeWrite,
    tools: () => tooling.registry,
    budget: () => budget,
    endRun: (why) => void agent.abort("denied", why), // resolves when the run ends
    openChild: parts.openChild,
    agentModel: parts.agentModel,
    isolation: parts.isolation,
    warn: warnOfAgents,
  });
  const tooling = new SessionTools({
    settings,
    host,
    home,
    cwd,
    history: () => conversation.manager.path(),
    processes,
    sandbox,
    approved,
    scripts,
    models: modelState,
    previews,
    todos: { todos: todos.store, storage: () => (sessionFile() === undefined ? "memory" : "session") },
    tools: parts.tools,
    isCold: mayChangeHead,
    traceOf: (toolCallId) => trace.headersOf(toolCallId),
    reservedTools: () => (output.addsTool ? 1 : 0),
    beforeWrite: (real, toolCallId) => {
      beforeWrite(real);
      undo.beforeWrite(real, toolCallId);
    },
    delegation,
    declared: family?.declared,
    emit,
    selection: parts.toolSelection,
  });
  const completions = new Completions({ settings, cwd, processRunner: () => processes.processRunner(), mcp });
  const resources = new SessionResources({
    ...parts.resources,
    home,
    settings,
    rules: () => rules.promptRules(),
    servers: () => serverTexts.text,
    permissions: () => permissionText.text,
    conversation: () => ({ key: manager().cacheKey, startedAt: manager().startedAt }),
    warn: (message) => emit({ type: "notice", level: "warning", message, source: "resources" }),
    now: clock.now,
  });
  const systemPrompt = new SessionSystemPrompt({ resources, cwd, tools: () => tooling.view.declared });
  const serverInstructions = () => family?.serverInstructions() ?? mcp.loaded?.instructions() ?? "";
  const abortGraceMs = () => family?.abortGraceMs() ?? settings.get("agent.abortGraceMs");
  const serverTexts = new SettledText({
    current: serverInstructions,
    // With "append", new tools change the request before the system prompt, so its cached copy is lost anyway.
    mayChange: () => settings.get("cache.lateTools") === "append" || mayChangeHead(),
  });
  const permissionText = new SettledText({ current: () => permissions.facts(), mayChange: mayChangeHead });
  const commands = new SessionCommands({ hooks, resources, mcp, cwd, emit });

  /** Returns the model of a conversation request, and the settings of the request. */
  const requestSetup = async () => {
    const { model, options } = await modelState.forRequest();
    const fetch = hooks().wrapFetch(globalThis.fetch);
    return { model, options: { ...options, ...(fetch !== globalThis.fetch && { fetch }) } };
  };
  const undo = new SessionUndo({
    settings,
    home,
    userHome: parts.resources.userHome,
    conversation,
    changeLock,
    isRunning: () => agent.isRunning,
    scratch: () => processes.scratch(),
    hasBackground: () => jobs.runningCount + processes.checkLeftBehind() > 0,
    kindOf: async (call) => {
      const { callKind } = await import("./undo/call-kind.ts");
      const { isInside, containsKeys } = parts.policy.policy();
      return callKind(call, {
        cwd,
        originOf: (tool) => tooling.registry.originOf(tool),
        commandPlace: () => ({ isInside, containsKeys, shellPath: settings.get("shellPath") }),
      });
    },
    now: clock.now,
    emit,
  });
  const { policies, budget, permissions, rules, compaction, steering, retry, output } = createPolicies({
    ...parts,
    stream,
    resources,
    guard,
    messages: () => log.messages,
    promptedPermissions: () => permissionText.text,
    overheadTokens: () => systemPrompt.overheadTokens(),
    conversationRequest: async () => {
      if (guard.isCold(modelState.current)) return undefined;
      const tools = tooling.view.declared.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters,
      }));
      const messages = await buildContext(log.messages, hooks().loop.context);
      return { ...(await requestSetup()), context: { systemPrompt: systemPrompt.text, tools, messages } };
    },
    previews,
    results,
    registry: tooling.registry,
    tooling,
    sandbox,
    approved,
    scripts,
    todos,
    jobs,
    delegation,
    undo,
    isolation: parts.isolation,
    endRun: (why) => void agent.abort("budget", why), // resolves when the run ends
    emit,
    hooks,
  });
  const recorder = new Recorder(
    manager,
    (message) => rules.isDiscarded(message),
    (message) => schemas.of(message),
  );
  events.recordWith((event) => recorder.record(event));
  events.recordWith((event) => held.onEvent(event));

  const agent = new Agent(
    {
      stream,
      setup: async () => {
        const { model, options } = await requestSetup();
        await systemPrompt.load();
        const tools = tooling.declare();
        requests.remember({ systemPrompt: systemPrompt.text, declared: tools, leafId: manager().leafId });
        return {
          systemPrompt: systemPrompt.text,
          tools,
          undeclared: tooling.view.deferred,
          model,
          options: {
            ...options,
            onRequest: (prefix) => guard.observe(model, prefix, options.cacheRetention),
          },
        };
      },
      model: () => modelState.current,
      emit: (event) => {
        policies.before(event);
        results.active?.observe(event);
        emit(event);
        policies.after(event);
      },
      ready: events.ready,
      delivered: events.delivered,
      next: policies.next,
      beforeCall: (signal) => budget.beforeCall(signal),
      hooks: policies.hooks,
      authorizer: permissions.authorizer,
      // What a subagent changes belongs to the call that started it.
      ...(!family && { around: (call, signal, execute) => undo.around(call, signal, execute) }),
      watch: rules.watch,
      output: output.take,
      interruptMode: () => prompting.interruptMode,
      limits: () => ({
        maxTurns: lowestLimit(settings.get("agent.maxTurns"), family?.maxTurns ?? 0),
        abortGraceMs: abortGraceMs(),
        maxParallelCommands: settings.get("tools.maxParallelCommands"),
      }),
      clock,
    },
    log,
  );
  const { queue } = agent;
  agent.toolChoice.setStanding(steering.choice);
  queue.steeringMode = settings.get("steeringMode");
  queue.followUpMode = settings.get("followUpMode");
  const queueUpdates = new QueueUpdates(() => emit({ type: "queue_update", ...describeQueue(queue) }));
  queue.subscribe(() => queueUpdates.changed());
  models.recordFirst();

  const runs = new RunController({
    agent,
    results,
    clock,
    emit,
    afterRun: async () => {
      await events.delivered(); // write the end of the run separately: some hosts look only at the last frame of each read
      await compaction.afterRun();
    },
  });
  const titles = new SessionTitles({
    settings,
    stream,
    models: modelState,
    host,
    conversation,
    budget,
    messages: () => log.messages,
    now: clock.now,
    emit,
  });
  events.subscribe(titles.onEvent, { updates: false });
  const consent = new Consent({
    ask: async (asker, signal) => {
      // List the commands before the answer is emitted, unless there are extensions: they are slower, and were asked at
      // the start.
      if (hooks() === NO_HOOKS) await commands.list();
      await project.askConsent(asker, signal);
    },
    withheld: () => project.withheld(),
    announceCommands: () => commands.announce(),
    emit,
  });
  const interruptions = new Interruptions({ conversation, isRunning: () => agent.isRunning, emit });
  events.subscribe(interruptions.observe, { updates: false });
  const starter = new RunStarter({
    agent,
    runs,
    changeLock,
    consent,
    mcp,
    policies,
    conversation,
    models: modelState,
    systemPrompt,
    output,
    trace,
    hooks,
    now: clock.now,
  });
  const prompting = new Prompting({
    agent,
    interruptMode: settings.get("interruptMode"),
    manager,
    runs,
    starter,
    output,
    schemas,
    storedSchema: () => storedOutputSchema(manager().path()),
    hooks,
    commands,
    loading: () => (consent.isDecided ? hooks().loading : consent.decided()),
    interruptions,
    append: (message) => held.add(message),
    now: clock.now,
  });

  const handover = new SessionHandover({
    agent,
    conversation,
    runs,
    prompting,
    compaction,
    tooling,
    processes,
    jobs,
    models,
    modelState,
    policies,
    consent,
    hooks,
    enterDirectory: async (directory) => {
      await commands.leaveDirectory(firstDirectory);
      await project.enter(directory);
    },
    interruptions,
    emit,
  });
  const changes = new SessionChanges({ cwd: parts.cwd, store: parts.store, changeLock, handover, undo, hooks });
  const stored = new StoredSessions({
    store: parts.store,
    conversation,
  });
  const lifecycle = new SessionLifecycle({
    agent,
    changeLock,
    conversation,
    runs,
    retry,
    prompting,
    compaction,
    policies,
    tooling,
    processes,
    jobs,
    endSubagents: async () => {
      if (!family) await subagents.endWaited("the run that waited for it was ended");
    },
    consent,
    handover,
    undo,
    emit,
  });
  mcp.attach({
    cwd,
    offer: (tools) => tooling.setMcp(tools),
    warn: (message) => emit({ type: "notice", level: "warning", message, source: "mcp" }),
    status: (server) => emit({ type: "mcp_status", server }),
    commandsChanged: () => commands.serversChanged(),
    newSpillPath: (tool) => processes.newSpillPath(tool),
    takesImages: () => modelState.current.input.includes("image"),
    traceOf: (toolCallId) => trace.headersOf(toolCallId),
    askLogin: createAskLogin(host.ask),
    person: {
      dialogs: () => host.reachableDialogs,
      runSignal: () => runs.signal,
      inform: (message) => emit({ type: "notice", level: "info", message, source: "mcp" }),
    },
    askConsentAgain: () => consent.askAgain(),
  });
  const releasePreviews = family?.rootPreviews.adopt(previews);
  handover.onChange(({ kind }) => (kind === "shutdown" ? releasePreviews?.() : undefined));
  handover.onChange(() => titles.cancel());
  handover.onChange(({ kind }) => (kind === "shutdown" ? mcp.close() : undefined));
  handover.onChange(({ kind }) => (kind === "shutdown" ? trace.recorder?.close() : undefined));
  return {
    agent,
    budget,
    changes,
    commands,
    compaction,
    completions,
    consent,
    delegation,
    extensions,
    guard,
    handover,
    held,
    interruptions,
    jobs,
    lifecycle,
    models,
    now: clock.now,
    output,
    permissions,
    processes,
    prompting,
    resources,
    results,
    retry,
    runs,
    stored,
    subagents,
    systemPrompt,
    todos,
    tooling,
    undo,
  };
}

/** Returns the stricter of two limits; 0 means no limit. */
function lowestLimit(one: number, other: number): number {
  return one > 0 && other > 0 ? Math.min(one, other) : Math.max(one, other);
}
