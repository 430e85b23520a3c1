import type { AgentSessionEvent } from "@pintle/wire";
import { parseSlash } from "../../resources/prompts/slash-commands.ts";
import type { SessionHooks, StartReason } from "../../session/session-hooks.ts";
import { provideAliases } from "../aliases/alias-modules.ts";
import { createEventBus, type EventBus } from "../api/event-bus.ts";
import type { ExtensionFault, ExtensionHost } from "../api/extension-host.ts";
import type { ExtensionAPI, ExtensionFactory, FlagDefinition } from "../api/extension-types.ts";
import type { GivenFlags } from "../api/flags.ts";
import { createLogger } from "../api/logger.ts";
import type { CustomToolSessionEvent } from "../api/tool-types.ts";
import { notifyTools, reachesTools } from "../custom-tools/notify-tools.ts";
import { type Callers, HANDLER_LIMITS, type HandlerLimits } from "../hooks/call-handler.ts";
import { askBeforeFork, createCompactionHooks, isSwitchCancelled } from "../hooks/change-hooks.ts";
import { HandlerTable } from "../hooks/handler-table.ts";
import { createLoopHooks } from "../hooks/loop-hooks.ts";
import { isObserved, TurnCounter, translated } from "../hooks/observed-events.ts";
import { ObserverQueue } from "../hooks/observer-queue.ts";
import { askBeforeSettle, askResources, askUserBash, prepareRun, transformInput } from "../hooks/prompt-hooks.ts";
import { wrapFetch } from "../hooks/provider-hooks.ts";
import { shutDown } from "../hooks/shut-down.ts";
import { checkedUserBash } from "../hooks/user-bash.ts";
import { type ProviderRegistry, providerHost } from "../host/provider-registration.ts";
import { createSessionHost, type SessionHostParts } from "../host/session-host.ts";
import { callFactory } from "../loading/import-factory.ts";
import { describeThrown } from "../loading/load-fault.ts";
import type { LoadLimits } from "../loading/load-together.ts";
import { ModuleSet } from "../loading/module-set.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import type { ModuleSource } from "../sources/discovery.ts";
import { type ApiParts, createExtensionApi } from "./extension-api.ts";
import { createScopedContexts } from "./extension-context.ts";
import { ExtensionInstance, NOT_READY_TEXT } from "./extension-instance.ts";
import { commandInfo, Registrations } from "./registrations.ts";
import { sendUserMessage } from "./user-message.ts";

// Loaded with the first extension.

export interface RunnerOptions {
  sources: readonly ModuleSource[];
  /** Factories from the program that embeds pintle; their path is `<inline:N>`. */
  inline?: readonly ExtensionFactory[];
  /** pintle's own directory. */
  home: string;
  /** What is available before the session exists. */
  environment: ApiParts["environment"];
  /** What `pintle` exports to modules. */
  publicExports(): Promise<object>;
  /** Receives their providers before the session exists, because its model may be one of theirs. */
  registry?: ProviderRegistry;
  flags?: GivenFlags;
  bus?: EventBus;
  loadLimits?: LoadLimits;
  handlerLimits?: HandlerLimits;
}

interface SessionStart {
  reason: StartReason;
  previousSessionFile?: string;
}

/** The extensions of one session: loaded before the session exists, bound to it afterwards. */
export class ExtensionRunner implements SessionHooks {
  readonly loop: SessionHooks["loop"];
  readonly compaction: SessionHooks["compaction"];
  /** Faults from before a session existed. */
  readonly faults: ExtensionFault[] = [];
  /** Faults that occurred while joining a session that had no listener yet. */
  #unreported: ExtensionFault[] | undefined = [];
  readonly #environment: ApiParts["environment"];
  readonly #callers: Callers;
  readonly #queue: ObserverQueue;
  readonly #turns = new TurnCounter();
  readonly #api: ApiParts;
  readonly #registrations: Registrations;
  readonly #extensions: ModuleSet<ExtensionAPI, ModuleSource, ExtensionInstance>;
  #host: ExtensionHost | undefined;
  /** How the open session started, for extensions that load late. */
  #start: SessionStart | undefined;
  /** True once an extension has registered a server; from then on, every change of extensions may change the servers. */
  #hasMcpServers = false;
  #nextSources: readonly ModuleSource[] | undefined;

  static async load(options: RunnerOptions): Promise<ExtensionRunner> {
    const pi = await provideAliases(options.publicExports);
    const runner = new ExtensionRunner(options, { typebox: await import("typebox"), pi });
    await runner.#extensions.load(options.sources);
    if (options.registry)
      runner.#registrations.offerProviders(providerHost(options.registry), runner.#extensions.instances);
    return runner;
  }

  private constructor(options: RunnerOptions, exports: Pick<ApiParts, "typebox" | "pi">) {
    const { home, environment, inline = [], loadLimits, handlerLimits: limits = HANDLER_LIMITS } = options;
    const report = (fault: ExtensionFault) => this.#report(fault);
    const instances = () => this.#extensions.instances;
    const handlers = new HandlerTable(instances);
    this.#environment = environment;
    this.#extensions = new ModuleSet({
      inline: new Map(inline.map((factory, index) => [inlineSource(index), factory])),
      limits: loadLimits,
      run: async (factory, source) => {
        const instance = new ExtensionInstance(source);
        await callFactory(factory, createExtensionApi(instance, this.#api), instance.path);
        return instance;
      },
      activate: (fresh) => this.#activate(fresh),
      activateLate: (instance) => this.#activateLate(instance),
      report: (fault) => report({ ...fault, event: "load" }),
    });
    this.#callers = {
      handlers,
      limits,
      report,
      runSignal: () => this.#host?.signal,
      replaced: () => this.#extensions.replaced,
    };
    this.#queue = new ObserverQueue(this.#callers);
    this.#registrations = new Registrations(instances, report);
    this.loop = createLoopHooks(this.#callers, () => this.#host?.systemPrompt ?? "");
    this.compaction = createCompactionHooks(this.#callers, this.#queue);
    this.#api = {
      ...exports,
      host: () => this.#host,
      environment,
      bus: options.bus ?? createEventBus(),
      logger: Object.freeze(createLogger(home)),
      flags: options.flags ?? new Map(),
      report,
      handlersChanged: () => handlers.forget(),
      toolsChanged: () => this.#host && this.#registrations.offerTools(this.#host),
      commandsChanged: () => this.#host?.commandsChanged(),
      mcpServersChanged: () => this.#mcpServersChanged(),
      mcpServers: () => this.#registrations.mcpServers(instances()),
      commands: () => this.commands(),
      sendUserMessage: (content, options = {}) =>
        sendUserMessage(this.#requireHost(), this.command.bind(this), content, options),
    };
  }

  /** Connects to the session, which calls the hooks from now on. */
  attach(parts: SessionHostParts): void {
    const { session } = parts;
    session.useHooks(this);
    const resume = session.commands.hold(); // nothing is announced before the session starts
    this.bind(createSessionHost(parts));
    resume();
    session.handover.onChange(({ kind }) => (kind === "shutdown" ? this.leaveSession("quit") : undefined));
  }

  /** Activates the extensions and reports later faults to the host. */
  bind(host: ExtensionHost): void {
    this.#host = host;
    this.#activate(this.#extensions.instances);
  }

  /** Notifies the extensions that the session has started. */
  start(reason: "startup" | "reload" = "startup"): void {
    const unreported = this.#unreported ?? [];
    this.#unreported = undefined;
    for (const fault of unreported) this.#report(fault);
    this.#enter({ reason });
    // Never rejects: errors of a tool are reported.
    void this.#notifyTools({ reason: "start" });
    this.#host?.commandsChanged();
  }

  /** Reloads the modules from disk. */
  async reload(sources: readonly ModuleSource[]): Promise<void> {
    await this.#requireHost().duringReplacement(async () => {
      await this.#extensions.reload(sources, () => this.leaveSession("reload"));
      this.start("reload");
    });
  }

  /** Sets the extensions for the next session. */
  enter(sources: readonly ModuleSource[]): void {
    this.#nextSources = sources;
  }

  /** Loads additional extensions; the session starts for them now. */
  async join(sources: readonly ModuleSource[]): Promise<void> {
    await this.#requireHost().duringReplacement(async () => {
      const joined = await this.#extensions.join(sources);
      if (!this.#start) return;
      for (const instance of joined) this.#queue.push("session_start", { reason: "startup" }, instance);
      // Never rejects: errors of a tool are reported.
      void this.#notifyTools({ reason: "start" }, joined);
    });
  }

  /** Flags that extensions have registered, for the command-line parser. A value applies to all extensions with that flag. */
  get flagTypes(): ReadonlyMap<string, FlagDefinition["type"]> {
    const all = this.#extensions.instances.flatMap(({ flags }) =>
      [...flags].map(([name, { type }]) => ({ name, type })),
    );
    const byName = Map.groupBy(all, ({ name }) => name);
    return new Map(
      [...byName].map(([name, same]) => [name, same.some(({ type }) => type === "string") ? "string" : "boolean"]),
    );
  }

  observe(event: AgentSessionEvent): void {
    const { type } = event;
    if (type === "message_update") {
      this.#queue.push(type, event);
      return;
    }
    // Never rejects: errors of a tool are reported.
    if (reachesTools(type)) void this.#notifyTools({ ...event, reason: type });
    const numbered = this.#turns.number(event);
    if (isObserved(type)) this.#queue.push(type, numbered as never);
    const other = translated(event);
    if (other) this.#queue.push(other.type, other.fields);
  }

  command(text: string): ReturnType<SessionHooks["command"]> {
    const parsed = parseSlash(text);
    const found = parsed && this.#registrations.commands().find(({ name }) => name === parsed.name);
    if (!found) return undefined;
    const { name, command, instance } = found;
    return {
      name,
      run: async () => {
        try {
          await asUsersCode(`the command /${name} of ${instance.path}`, () =>
            command.handler(parsed.args, instance.commandContext),
          );
        } catch (error) {
          this.#report({ path: `command:${name}`, event: "command", error: describeThrown(error) });
        }
      },
    };
  }

  commands(): ReturnType<SessionHooks["commands"]> {
    return this.#registrations.commands().map(commandInfo);
  }

  get loading(): Promise<void> | undefined {
    return this.#extensions.replaced;
  }

  input: SessionHooks["input"] = (prompt, source) => transformInput(this.#callers, prompt, source);
  beforeRun: SessionHooks["beforeRun"] = (start) =>
    prepareRun(this.#callers, start, this.#host ?? { activeTools: () => [], setActiveTools: () => [] });
  get beforeSettle(): SessionHooks["beforeSettle"] {
    const host = this.#host;
    if (!host || !this.#callers.handlers.has("agent_before_settle")) return undefined;
    return async (outcome) => (host.hasQueuedMessages ? [] : askBeforeSettle(this.#callers, outcome, host));
  }
  wrapFetch: SessionHooks["wrapFetch"] = (fetch) =>
    wrapFetch(this.#callers, this.#queue, fetch, () => this.#host?.model);
  userBash: SessionHooks["userBash"] = async (command) => checkedUserBash(await askUserBash(this.#callers, command));
  resources: SessionHooks["resources"] = (reason) =>
    askResources(this.#callers, { cwd: (this.#host ?? this.#environment).cwd, reason });
  isSwitchCancelled: SessionHooks["isSwitchCancelled"] = (change) => isSwitchCancelled(this.#callers, change);
  beforeFork: SessionHooks["beforeFork"] = (change) => askBeforeFork(this.#callers, change);
  modelSelected: SessionHooks["modelSelected"] = (change) => this.#queue.push("model_select", change);
  thinkingLevelSelected: SessionHooks["thinkingLevelSelected"] = (change) =>
    this.#queue.push("thinking_level_select", change);

  async leaveSession(...[reason, targetSessionFile]: Parameters<SessionHooks["leaveSession"]>): Promise<void> {
    const event = { reason, ...(targetSessionFile !== undefined && { targetSessionFile }) };
    await Promise.all([
      shutDown(this.#callers, this.#queue, event),
      this.#notifyTools({ reason: "shutdown" }), // bounded in the same way
    ]);
    this.#queue.clear();
    this.#extensions.end();
    this.#callers.handlers.forget();
  }

  async enterSession(...[reason, previousSessionFile]: Parameters<SessionHooks["enterSession"]>): Promise<void> {
    await this.#extensions.renew(this.#nextSources);
    this.#nextSources = undefined;
    const previous = previousSessionFile === undefined ? {} : { previousSessionFile };
    this.#enter({ reason, ...previous });
    if (reason === "fork") this.#queue.push("session_branch", previous);
    else this.#queue.push("session_switch", { reason, ...previous });
    // Never rejects: errors of a tool are reported.
    void this.#notifyTools({ reason: reason === "fork" ? "branch" : "switch", ...previous });
  }

  /** Resolves when observers have received everything that has happened so far. */
  observed(): Promise<void> {
    return this.#queue.idle();
  }

  #activate(fresh: readonly ExtensionInstance[]): void {
    const host = this.#host;
    if (!host) return;
    const { sendUserMessage } = this.#api;
    for (const instance of fresh) {
      const { realPath } = instance.source;
      const successor = () => this.#extensions.instances.find(({ source }) => source.realPath === realPath);
      const watchDialogs: ObserverQueue["push"] = (...event) => this.#queue.push(...event);
      instance.activate(createScopedContexts({ instance, host, successor, sendUserMessage, watchDialogs }));
    }
    this.#callers.handlers.forget();
    this.#registrations.offerProviders(host, fresh);
    this.#registrations.offerTools(host);
    if (this.#hasMcpServers || fresh.some(({ mcpServers }) => mcpServers.size > 0)) this.#offerMcpServers(host);
    host.commandsChanged();
  }

  #offerMcpServers(host: ExtensionHost): void {
    this.#hasMcpServers = true;
    this.#registrations.offerMcpServers(host);
  }

  #mcpServersChanged(): void {
    if (!this.#host) return;
    this.#offerMcpServers(this.#host);
    this.#queue.push("mcp_servers_change", { servers: structuredClone(this.#api.mcpServers()) });
  }

  #activateLate(instance: ExtensionInstance): void {
    if (instance.handlers.has("resources_discover")) this.#host?.forgetResources();
    this.#activate([instance]);
    if (this.#start) this.#queue.push("session_start", this.#start, instance);
  }

  #report(fault: ExtensionFault): void {
    if (!this.#host) this.faults.push(fault);
    else if (this.#unreported) this.#unreported.push(fault);
    else this.#host.report(fault);
  }

  #enter(start: SessionStart): void {
    this.#start = start;
    this.#queue.push("session_start", start);
  }

  /** Resolves when all tools have finished or used up their time. */
  #notifyTools(event: CustomToolSessionEvent, instances = this.#extensions.instances): Promise<void> {
    const tools = instances.filter(({ isActive }) => isActive).flatMap((instance) => [...instance.tools.values()]);
    return notifyTools(tools, event, { report: (fault) => this.#report({ ...fault, event: "onSession" }) });
  }

  #requireHost(): ExtensionHost {
    if (!this.#host) throw new Error(NOT_READY_TEXT);
    return this.#host;
  }
}

function inlineSource(index: number): ModuleSource {
  const path = `<inline:${index + 1}>`;
  return { path, realPath: path, scope: "inline" };
}
