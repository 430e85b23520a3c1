import { Agent, buildContext, type Clock, type InterruptMode, MessageLog, type Tool } from "@pintle/agent";
import { type StreamModel, unlessAborted } from "@pintle/ai";
import type { CompletedPath, McpServerStatus } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import { ApprovedPaths } from "../permissions/approved-paths.ts";
import { ApprovedScripts } from "../permissions/approved-scripts.ts";
import type { PreviewResolver } from "../previews/previews.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import { type SlashCommand, toAvailableCommand } from "../resources/prompts/slash-commands.ts";
import type { SessionResources } from "../resources/session-resources.ts";
import type { LazySandbox } from "../sandbox/lazy-sandbox.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import type { SessionStore } from "../storage/session-store.ts";
import { RunTrace } from "../traces/run-trace.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { AttachedHooks, NO_HOOKS } from "./attached-hooks.ts";
import { SessionChanges } from "./changes/session-changes.ts";
import { SessionHandover } from "./changes/session-handover.ts";
import { SessionLifecycle } from "./changes/session-lifecycle.ts";
import { StoredSessions } from "./changes/stored-sessions.ts";
import { describeQueue } from "./conversation/describe-queue.ts";
import { SessionEmitter } from "./conversation/event-emitter.ts";
import { HeldMessages } from "./conversation/held-messages.ts";
import { OpenConversation } from "./conversation/open-conversation.ts";
import { QueueUpdates } from "./conversation/queue-updates.ts";
import { Recorder } from "./conversation/recorder.ts";
import { ModelControl } from "./models/model-control.ts";
import type { ModelState } from "./models/model-state.ts";
import { CacheGuard } from "./policies/cache-guard.ts";
import { createPolicies } from "./policies/policy-list.ts";
import { SessionTodos } from "./policies/session-todos.ts";
import { SessionProcesses } from "./processes/session-processes.ts";
import { builtinCommand } from "./prompting/builtin-commands.ts";
import { extensionCommand, KnownCommands } from "./prompting/known-commands.ts";
import { Prompting } from "./prompting/prompting.ts";
import { SettledText } from "./prompting/settled-text.ts";
import { SessionSystemPrompt } from "./prompting/system-prompt.ts";
import { Consent } from "./runs/consent.ts";
import { Interruptions } from "./runs/interruption.ts";
import { RunController } from "./runs/run-controller.ts";
import { prepareRun, sessionReady } from "./runs/run-preparation.ts";
import { SessionGate } from "./runs/session-gate.ts";
import type { PromptText } from "./session-hooks.ts";
import { AttachedHost } from "./tools/attached-host.ts";
import { LazyCompletion } from "./tools/lazy-completion.ts";
import { createSessionPreviews } from "./tools/session-previews.ts";
import { SessionTools } from "./tools/session-tools.ts";
import type { ToolSelection } from "./tools/tool-registry.ts";

export interface McpControl {
  status(): Promise<McpServerStatus[]>;
  reload(): Promise<void>;
  /** There is somebody now who can be asked to log in. */
  logIn(): Promise<void>;
  /** Those of the host. Throws SessionError. */
  setHostServers(definitions: readonly unknown[]): Promise<void>;
  /** What failed is tried again; the first prompt waits until all have connected or failed. Must not reject. */
  beforePrompt(signal: AbortSignal): Promise<void>;
  /** What servers say about their use, for the system prompt. */
  instructions(): string;
  /** Their prompts, as what a text may begin with. */
  commands(): SlashCommand[];
  /** undefined: the text calls no prompt of a server. Throws SessionError. */
  expand(text: string, signal: AbortSignal): Promise<PromptText | undefined>;
  /** Whether a text has `@server:uri` with a server that has resources. */
  mentions(text: string): boolean;
  /** The prompt with the resources that the typed text mentions. Rejects only when the signal fires. */
  attach(prompt: PromptText, typed: string, signal: AbortSignal): Promise<PromptText>;
  /** Resources for what was typed after an @; undefined: it is not about a server. */
  complete(query: string, limit: number): Promise<CompletedPath[] | undefined>;
}

export interface AgentSessionParts {
  /** Where relative paths start; the session's own directory may be another. */
  cwd: string;
  store: SessionStore;
  manager: SessionManager;
  models: ModelState;
  settings: Settings;
  /** For a working directory; asked again when that changes. */
  resources: SessionResources;
  /** Asks whether the project may act; resolves when what was agreed to is loaded. */
  askConsent?(asker: TrustAsker, signal: AbortSignal): Promise<void>;
  /** What waits for consent, in words; undefined when nothing does. */
  withheld?(): string | undefined;
  /** The session works in another directory now: what that one brings, as far as it may act, is loaded when it resolves. */
  enterDirectory?(cwd: string): Promise<void>;
  /** Servers whose tools join by themselves. */
  mcp?: McpControl;
  /** pintle's own directory. */
  home: string;
  gateway: LazyGateway;
  /** What commands are started in; without it they run as they are. */
  sandbox?: LazySandbox;
  /** Of the program that embeds the session. */
  tools: readonly Tool[];
  toolSelection?: ToolSelection;
  /** False: no rule watches what the model writes. */
  hasRules?: boolean;
  /** Decides on previews in this process. */
  resolvePreview?: PreviewResolver;
  stream: StreamModel;
  /** Which trace the runs belong to. */
  trace?: RunTrace;
  clock: Clock;
}

export type SessionOwners = ReturnType<typeof assembleSession>;

/**
 * Makes the owners of a session's state, each from those above it: none knows the session, and none is used before it exists.
 * Where two owners work on the same thing, that thing is made first: the emitter, the message log, the conversation, the gate.
 */
export function assembleSession(parts: AgentSessionParts) {
  const { settings, clock, models: modelState, resources, home, trace = new RunTrace() } = parts;
  const stream = trace.recorder?.wrap(parts.stream) ?? parts.stream;

  const events = new SessionEmitter();
  if (trace.recorder) events.subscribe(trace.recorder.onEvent, { hearsOfUpdates: false });
  const commands = new KnownCommands();
  const emit = commands.withoutRepeats((event) => events.emit(event));
  const extensions = new AttachedHooks();
  const hooks = extensions.current;
  const gate = new SessionGate();
  const delivery: { interruptMode: InterruptMode } = { interruptMode: settings.get("interruptMode") };

  const log = new MessageLog();
  const conversation = new OpenConversation({ ...parts, messages: log, emit });
  const manager = () => conversation.manager;
  const cwd = () => conversation.cwd;
  const firstDirectory = conversation.cwd;
  const sessionFile = () => manager().sessionFile;
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

  const { gateway, sandbox } = parts;
  const processes = new SessionProcesses({ settings, gateway, sandbox, cwd, sessionFile, now: clock.now, hooks });
  const previews = createSessionPreviews({ ...parts, emit });
  const todos = new SessionTodos({ settings, clock, manager, emit, isWaiting: () => previews.hasPending });
  const approved = new ApprovedPaths();
  const scripts = new ApprovedScripts();
  const guard = new CacheGuard({ emit, now: clock.now });
  conversation.onContextReplaced((change) => guard.contextChanged(change));
  const tooling = new SessionTools({
    settings,
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
    isCold: () => guard.isCold(modelState.current),
    traceOf: (toolCallId) => trace.headersOf(toolCallId),
    emit,
    ...(parts.toolSelection && { selection: parts.toolSelection }),
  });
  const completion = new LazyCompletion({ settings, cwd, gateway: () => processes.gateway() });
  const host = new AttachedHost({ tooling, append: (message) => held.add(message), now: clock.now });
  const systemPrompt = new SessionSystemPrompt({ resources, cwd, tools: () => tooling.declared() });
  const serverTexts = new SettledText({
    current: () => parts.mcp?.instructions() ?? "",
    // With "append" new tools change what stands before the system prompt in a provider's cache.
    mayChange: () => settings.get("cache.lateTools") === "append" || guard.isCold(modelState.current),
  });
  const withoutServers = async (): Promise<SlashCommand[]> => [
    ...hooks().commands().map(extensionCommand),
    ...(await resources.commands(cwd())),
  ];
  const listCommands = async (): Promise<SlashCommand[]> => {
    const all = [...(await withoutServers()), ...(parts.mcp?.commands() ?? [])];
    commands.begin(all);
    return all;
  };
  /** Servers have other prompts: also news to listeners that never asked. */
  const announceCommands = async (): Promise<void> => {
    if (!commands.isBegun) commands.begin(await withoutServers());
    emit({ type: "available_commands_update", commands: (await listCommands()).map(toAvailableCommand) });
  };

  /** Whom a request of the conversation goes to, and how. */
  const requestSetup = async () => {
    const { model, options } = await modelState.forRequest();
    const fetch = hooks().wrapFetch(globalThis.fetch);
    return { model, options: { ...options, ...(fetch !== globalThis.fetch && { fetch }) } };
  };
  const { policies, budget, permissions, rules, compaction, retry } = createPolicies({
    ...parts,
    stream,
    conversation,
    guard,
    messages: () => log.messages,
    overheadTokens: () => systemPrompt.overheadTokens(),
    conversationRequest: async () => {
      if (guard.isCold(modelState.current)) return undefined;
      const tools = tooling.declared().map(({ name, description, parameters }) => ({ name, description, parameters }));
      const messages = await buildContext(log.messages, hooks().loop.context);
      return { ...(await requestSetup()), context: { systemPrompt: systemPrompt.text, tools, messages } };
    },
    previews,
    registry: tooling.registry,
    tooling,
    sandbox,
    approved,
    scripts,
    todos,
    hasRules: parts.hasRules ?? true,
    endRun: () => void agent.abort("budget"), // resolves with the end of the run, whatever that is
    emit,
    hooks,
  });
  const recorder = new Recorder(manager, (message) => policies.isDiscarded(message));
  events.recordWith((event) => recorder.record(event));
  events.recordWith((event) => held.onEvent(event));

  const agent = new Agent(
    {
      stream,
      setup: async () => {
        const { model, options } = await requestSetup();
        await systemPrompt.load();
        return {
          systemPrompt: systemPrompt.text,
          tools: tooling.declare(),
          undeclared: tooling.deferred(),
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
        emit(event);
        policies.after(event);
      },
      ready: events.ready,
      delivered: events.delivered,
      next: policies.next,
      beforeCall: (signal) => policies.beforeCall(signal),
      hooks: policies.hooks,
      gate: permissions.gate,
      watch: policies.watch,
      interruptMode: () => delivery.interruptMode,
      limits: () => ({
        maxTurns: settings.get("agent.maxTurns"),
        abortGraceMs: settings.get("agent.abortGraceMs"),
      }),
      clock,
    },
    log,
  );
  const { queue } = agent;
  agent.toolChoice.setStanding(policies.choice);
  queue.steeringMode = settings.get("steeringMode");
  queue.followUpMode = settings.get("followUpMode");
  const queueUpdates = new QueueUpdates(() => emit({ type: "queue_update", ...describeQueue(queue) }));
  queue.subscribe(() => queueUpdates.changed());
  models.recordFirst();

  const runs = new RunController(agent, emit, async () => {
    await events.delivered(); // the end of the run is a write of its own: some hosts look at the last frame of a read only
    await policies.afterRun();
  });
  const consent = new Consent({
    ask: async (asker, signal) => {
      // What was there before the answer. Extensions may take their time to say what they know of, and were asked before.
      if (hooks() === NO_HOOKS) await listCommands();
      await parts.askConsent?.(asker, signal);
    },
    ...(parts.withheld && { withheld: parts.withheld }),
    commands: listCommands,
    emit,
  });
  const interruptions = new Interruptions();
  events.subscribe(interruptions.observe, { hearsOfUpdates: false });
  const interruption = () => interruptions.find(log.messages);
  const preparation = {
    gate,
    consent,
    policies,
    conversation,
    models: modelState,
    beforePrompt: async (signal: AbortSignal) => parts.mcp?.beforePrompt(signal),
    loadSystemPrompt: () => systemPrompt.load(),
  };
  const prompting = new Prompting({
    agent,
    runs,
    policies,
    systemPrompt,
    trace,
    hooks,
    builtin: (text) => builtinCommand(text, { mcpServers: () => settledServers(parts.mcp), emit }),
    expand: async (text, signal) => {
      const expanded = await resources.expand(cwd(), text);
      const ofServer = expanded === text ? await parts.mcp?.expand(text, signal) : undefined;
      const prompt = ofServer ?? { text: expanded };
      return parts.mcp?.mentions(text) ? parts.mcp.attach(prompt, text, signal) : prompt;
    },
    mentions: (text) => parts.mcp?.mentions(text) ?? false,
    loading: () => (consent.isDecided ? hooks().loading : consent.decided()),
    ready: async (signal) => {
      await sessionReady(preparation, signal);
      await unlessAborted(hooks().loading, signal);
    },
    prepare: (signal) => prepareRun(preparation, signal),
    interruption,
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
    models,
    modelState,
    policies,
    consent,
    enterDirectory: async (directory) => {
      if (!commands.isBegun) commands.begin(await resources.commands(firstDirectory));
      await parts.enterDirectory?.(directory);
    },
    interruption,
    emit,
  });
  const changes = new SessionChanges({ cwd: parts.cwd, store: parts.store, gate, handover, hooks });
  const stored = new StoredSessions({
    store: parts.store,
    current: manager,
    announce: () => conversation.announce(),
  });
  const lifecycle = new SessionLifecycle({
    gate,
    conversation,
    runs,
    prompting,
    compaction,
    policies,
    tooling,
    processes,
    consent,
    handover,
    emit,
  });
  return {
    agent,
    announceCommands,
    budget,
    changes,
    compaction,
    completion,
    consent,
    conversation,
    delivery,
    emit,
    events,
    extensions,
    guard,
    handover,
    held,
    host,
    interruption,
    lifecycle,
    listCommands,
    models,
    permissions,
    processes,
    prompting,
    retry,
    rules,
    runs,
    serverTexts,
    stored,
    systemPrompt,
    todos,
    tooling,
    trace,
  };
}

/** Not while they are still connecting, as far as a first prompt would wait for that. */
async function settledServers(mcp: McpControl | undefined): Promise<McpServerStatus[]> {
  await mcp?.beforePrompt(new AbortController().signal);
  return (await mcp?.status()) ?? [];
}
