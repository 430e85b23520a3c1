import { realpathSync } from "node:fs";
import type { ToolResult } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { LazyProcessRunner } from "../../../../../exec/src/processes/lazy-process-runner.ts";
import type { ModelRegistry } from "../../../../src/config/models/model-registry.ts";
import type {
  ExtensionFault,
  ExtensionHost,
  ExtensionTool,
  ProviderRegistration,
} from "../../../../src/extensibility/api/extension-host.ts";
import type { ExtensionFactory } from "../../../../src/extensibility/api/extension-types.ts";
import { ExtensionRunner, type RunnerOptions } from "../../../../src/extensibility/extensions/extension-runner.ts";
import { createSessionHost } from "../../../../src/extensibility/host/session-host.ts";
import { forgetModules } from "../../../../src/extensibility/loading/imported-files.ts";
import type { ModuleSource } from "../../../../src/extensibility/sources/discovery.ts";
import type { ExtensionUi } from "../../../../src/extensibility/ui/ui.ts";
import { createAgentSession } from "../../../../src/sdk/create-session.ts";
import type { CreateAgentSessionOptions } from "../../../../src/sdk/options.ts";
import type { AgentSession } from "../../../../src/session/agent-session.ts";
import { freshPlace, type Place } from "../../session/test-session.ts";

export interface HarnessOptions {
  /** Modules on disk. */
  files?: readonly string[];
  inline?: readonly ExtensionFactory[];
  ui?: ExtensionUi;
  place?: Place;
  flags?: RunnerOptions["flags"];
  handlerLimits?: RunnerOptions["handlerLimits"];
  loadLimits?: RunnerOptions["loadLimits"];
  /** Instead of the scripted model. */
  stream?: StreamModel;
  /** `provider/id`; default: the environment's model with the large window. */
  model?: string;
  settings?: CreateAgentSessionOptions["settings"];
}

export interface Harness extends Place, AsyncDisposable {
  session: AgentSession;
  runner: ExtensionRunner;
  host: TestHost;
  events: AgentSessionEvent[];
  requests: ScriptedModel["requests"];
  /** Runs a prompt to its end, and until observers were notified. */
  prompt(text: string): Promise<void>;
  /** Calls a tool of an extension as the loop would. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
}

/** A session with extensions in it; its model answers from the list. */
export async function startExtensions(
  answers: readonly ScriptedAnswer[] = [],
  options: HarnessOptions = {},
): Promise<Harness> {
  const place = options.place ?? freshPlace({ contextWindow: 100_000 });
  const scripted = scriptedModel(answers);
  const processRunner = new LazyProcessRunner();
  forgetModules((options.files ?? []).map((file) => realpathSync(file))); // some inspect their environment when they are loaded
  const runner = await ExtensionRunner.load({
    sources: (options.files ?? []).map(sourceOf),
    inline: options.inline ?? [],
    home: place.home,
    environment: { cwd: place.cwd, processRunner: () => processRunner.open() },
    publicExports: () => import("../../../../src/index.ts"),
    ...(options.flags && { flags: options.flags }),
    ...(options.handlerLimits && { handlerLimits: options.handlerLimits }),
    ...(options.loadLimits && { loadLimits: options.loadLimits }),
  });
  const { session, registry } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home },
    flags: { model: options.model ?? "acme/large" },
    stream: options.stream ?? scripted.stream,
    ...(options.settings && { settings: options.settings }),
  });
  const events: AgentSessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  const host = recordingHost(session, registry, processRunner, options.ui);
  host.onReload = () => runner.reload((options.files ?? []).map(sourceOf));
  for (const fault of runner.faults) host.report(fault);
  session.useHooks(runner);
  runner.bind(host);
  runner.start();
  await runner.observed();
  return {
    ...place,
    session,
    runner,
    host,
    events,
    requests: scripted.requests,
    async prompt(text) {
      await session.prompt(text, { source: "rpc" });
      await runner.observed();
    },
    async call(name, args = {}) {
      const found = host.extensionTools.find(({ tool }) => tool.name === name);
      if (!found) throw new Error(`no extension has a tool ${name}`);
      const { signal } = new AbortController();
      const batch = { id: "call_1", index: 0, total: 1, names: [name] };
      const prepared = found.tool.prepareArguments?.(args) ?? args;
      return found.tool.execute(prepared, { id: "call_1", signal, steeringSignal: signal, update() {}, batch });
    },
    [Symbol.asyncDispose]: async () => {
      await runner.leaveSession("quit");
      await session.dispose();
      await processRunner.killAll("shutdown");
    },
  };
}

function sourceOf(path: string): ModuleSource {
  return { path, realPath: realpathSync(path), scope: "flag" };
}

/** The calls to the real host, and a record of those that only a program can carry out. */
export type TestHost = ExtensionHost & {
  faults: ExtensionFault[];
  warnings: string[];
  providers: Map<string, ProviderRegistration>;
  extensionTools: readonly ExtensionTool[];
  isShutDown: boolean;
  onReload: () => Promise<void>;
};

function recordingHost(
  session: AgentSession,
  registry: ModelRegistry,
  processRunner: LazyProcessRunner,
  ui?: ExtensionUi,
): TestHost {
  const real = createSessionHost({
    session,
    registry,
    processRunner,
    isProjectTrusted: () => false,
    ui: () => ui,
    reload: () => host.onReload(),
    shutdown: () => {
      host.isShutDown = true;
    },
  });
  const recorder = {
    faults: [],
    warnings: [],
    providers: new Map(),
    extensionTools: [],
    isShutDown: false,
    onReload: async () => {},
    /** Lists no commands, because that would ask extensions for their resources before a test does. */
    commandsChanged() {},
    setExtensionTools(tools: readonly ExtensionTool[]) {
      host.extensionTools = tools;
      real.setExtensionTools(tools);
    },
    registerProvider(name: string, provider: ProviderRegistration) {
      real.registerProvider(name, provider);
      host.providers.set(name, provider);
    },
    unregisterProvider(name: string) {
      real.unregisterProvider(name);
      host.providers.delete(name);
    },
    report(fault: ExtensionFault) {
      host.faults.push(fault);
      real.report(fault);
    },
    warn(message: string) {
      host.warnings.push(message);
      real.warn(message);
    },
  };
  const host: TestHost = Object.defineProperties({} as TestHost, {
    ...Object.getOwnPropertyDescriptors(real),
    ...Object.getOwnPropertyDescriptors(recorder),
  });
  return host;
}
