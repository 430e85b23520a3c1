import { Agent, type Clock, type InterruptMode, type Tool } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import type { Settings } from "../config/settings/settings.ts";
import type { PreviewResolver } from "../previews/previews.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { SessionResources } from "../resources/session-resources.ts";
import type { SlashCommand } from "../resources/slash-commands.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import type { SessionStore } from "../storage/session-store.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { AttachedHost } from "./attached-host.ts";
import { builtinCommand } from "./builtin-commands.ts";
import { Consent } from "./consent.ts";
import { SessionEmitter } from "./event-emitter.ts";
import { HeldMessages } from "./held-messages.ts";
import { KnownCommands } from "./known-commands.ts";
import { ModelControl } from "./model-control.ts";
import type { ModelState } from "./model-state.ts";
import { NO_HOOKS } from "./no-hooks.ts";
import { OpenConversation } from "./open-conversation.ts";
import { Prompting } from "./prompting.ts";
import { Recorder } from "./recorder.ts";
import { RunController } from "./run-controller.ts";
import { RunPolicies } from "./run-policies.ts";
import { SessionCompaction } from "./session-compaction.ts";
import type { McpServerStatus } from "./session-events.ts";
import type { SessionHooks } from "./session-hooks.ts";
import { SessionLifecycle } from "./session-lifecycle.ts";
import { SessionProcesses } from "./session-processes.ts";
import { SessionTodos } from "./session-todos.ts";
import { SessionTools } from "./session-tools.ts";
import type { ToolSelection } from "./tool-registry.ts";

export interface McpControl {
  status(): Promise<McpServerStatus[]>;
  reload(): Promise<void>;
  /** What the first prompt waits for. Must not reject. */
  firstUse(signal: AbortSignal): Promise<void>;
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
  /** Of the program that embeds the session. */
  tools: readonly Tool[];
  toolSelection?: ToolSelection;
  /** False: no rule watches what the model writes. */
  hasRules?: boolean;
  /** Decides on previews in this process. */
  resolvePreview?: PreviewResolver;
  stream: StreamModel;
  clock: Clock;
}

/** What the owners ask of the session they make up together. */
export interface SessionFace {
  hooks(): SessionHooks;
  /** What the model is sent besides messages. */
  overheadTokens(): number;
  commands(): Promise<SlashCommand[]>;
  loadSystemPrompt(): Promise<string>;
  interruptMode(): InterruptMode;
  /** A promise while a listener cannot keep up. */
  ready(): Promise<void> | undefined;
  /** A promise until the reader could have seen all events so far. */
  told(): Promise<void> | undefined;
}

export type SessionOwners = ReturnType<typeof createOwners>;

/** Makes the owners of a session's state and shows them to each other; decides nothing itself. */
export function createOwners(parts: AgentSessionParts, face: SessionFace) {
  const { settings, clock, models: modelState, resources } = parts;
  const { hooks } = face;
  const commands = new KnownCommands();
  const emit = commands.withoutRepeats((event) => events.emit(event));
  const conversation: OpenConversation = new OpenConversation({ ...parts, emit }, () => agent);
  const manager = () => conversation.manager;
  const cwd = () => conversation.cwd;
  const firstDirectory = conversation.cwd;
  const sessionFile = () => manager().sessionFile;
  const held = new HeldMessages({
    store: (message) => conversation.store(message),
    join: (message) => agent.append(message),
  });
  const models = new ModelControl({ models: modelState, manager, emit, hooks });
  const processes = new SessionProcesses({
    settings,
    gateway: parts.gateway,
    cwd,
    sessionFile,
    now: clock.now,
    hooks,
  });
  const todos: SessionTodos = new SessionTodos({
    settings,
    clock,
    manager,
    emit,
    isWaiting: () => tooling.previews.hasPending,
  });
  const tooling: SessionTools = new SessionTools({
    ...parts,
    todos: { todos: todos.store, storage: () => (sessionFile() === undefined ? "memory" : "session") },
    cwd,
    processes,
    emit,
    ...(parts.toolSelection && { selection: parts.toolSelection }),
  });
  const compaction: SessionCompaction = new SessionCompaction({
    ...parts,
    emit,
    hooks,
    manager,
    messages: () => agent.messages,
    overheadTokens: face.overheadTokens,
    adoptContext: () => {
      manager().sync();
      agent.replaceMessages(manager().buildContext().messages);
      tooling.steering.forgetReminders();
    },
  });
  const policies = new RunPolicies({
    settings,
    clock,
    home: parts.home,
    models: modelState,
    cwd,
    manager,
    emit,
    compaction: compaction.next,
    steering: tooling.steering.next,
    todos: todos.next,
    hooks,
    hasRules: parts.hasRules ?? true,
    resources: () => resources.load(cwd()),
  });
  const recorder = new Recorder(manager, (message) => policies.isDiscarded(message));
  const events = new SessionEmitter((event) => {
    recorder.record(event);
    held.onEvent(event);
  });
  const agent: Agent = new Agent({
    stream: parts.stream,
    setup: async () => {
      const { model, options } = await modelState.forRequest();
      await face.loadSystemPrompt();
      const fetch = hooks().wrapFetch(globalThis.fetch);
      return {
        systemPrompt: prompting.systemPrompt,
        tools: tooling.active(),
        model,
        options: { ...options, ...(fetch !== globalThis.fetch && { fetch }) },
      };
    },
    model: () => modelState.current,
    emit: (event) => {
      policies.before(event);
      compaction.before(event);
      emit(event);
      policies.after(event);
    },
    ready: face.ready,
    told: face.told,
    next: policies.next,
    hooks: policies.hooks,
    watch: policies.watch,
    interruptMode: face.interruptMode,
    limits: () => ({
      maxTurns: settings.get("agent.maxTurns"),
      maxIdenticalCalls: settings.get("agent.maxIdenticalCalls"),
      abortGraceMs: settings.get("agent.abortGraceMs"),
    }),
    clock,
  });
  agent.toolChoice.setStanding(tooling.steering.choice);
  agent.replaceMessages(parts.manager.buildContext().messages);
  const { queue } = agent;
  queue.steeringMode = settings.get("steeringMode");
  queue.followUpMode = settings.get("followUpMode");
  queue.subscribe(() =>
    emit({ type: "queue_update", steering: queue.texts("steering"), followUp: queue.texts("followUp") }),
  );
  models.recordFirst();
  const runs = new RunController(agent, emit, async () => {
    await face.told(); // the end of the run is a write of its own: some hosts look at the last frame of a read only
    await compaction.afterRun();
  });
  const consent = new Consent({
    ask: async (asker, signal) => {
      // What was there before the answer. Extensions may take their time to say what they know of, and were asked before.
      if (hooks() === NO_HOOKS) await face.commands();
      await parts.askConsent?.(asker, signal);
    },
    ...(parts.withheld && { withheld: parts.withheld }),
    commands: face.commands,
    emit,
  });
  /** Throws why no run can start. */
  const prepareRun = async (signal: AbortSignal): Promise<void> => {
    await lifecycle.gate.pass(signal);
    await consent.decided(signal);
    await parts.mcp?.firstUse(signal);
    await policies.prepare();
    await face.loadSystemPrompt();
    conversation.requireWritable();
    modelState.requireUsable();
    await compaction.beforePrompt(signal);
  };
  const prompting: Prompting = new Prompting({
    agent,
    runs,
    todos,
    hooks,
    builtin: (text) => builtinCommand(text, { mcpServers: () => settledServers(parts.mcp), emit }),
    expand: (text) => resources.expand(cwd(), text),
    prepare: prepareRun,
    reminders: () => tooling.steering.onPrompt(),
    systemPrompt: () => resources.builtSystemPrompt(cwd()) ?? "",
    loadSystemPrompt: face.loadSystemPrompt,
    systemPromptOptions: () => resources.promptOptions(cwd(), tooling.active()),
    append: (message) => held.add(message),
    now: clock.now,
  });
  const lifecycle: SessionLifecycle = new SessionLifecycle({
    cwd: parts.cwd,
    store: parts.store,
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
    todos,
    consent,
    hooks,
    enterDirectory: async (directory) => {
      if (!commands.isBegun) commands.begin(await resources.commands(firstDirectory));
      await parts.enterDirectory?.(directory);
    },
    emit,
  });
  const host = new AttachedHost({ tooling, append: (message) => held.add(message), now: clock.now });
  return {
    agent,
    commands,
    compaction,
    consent,
    conversation,
    emit,
    events,
    held,
    host,
    lifecycle,
    models,
    policies,
    processes,
    prompting,
    runs,
    todos,
    tooling,
  };
}

/** Not while they are still connecting, as far as a first prompt would wait for that. */
async function settledServers(mcp: McpControl | undefined): Promise<McpServerStatus[]> {
  await mcp?.firstUse(new AbortController().signal);
  return (await mcp?.status()) ?? [];
}
