import type { CommandInfo } from "../../session/session-hooks.ts";
import { requireArguments } from "../api/check-arguments.ts";
import type { EventBus } from "../api/event-bus.ts";
import type { AnyHandler } from "../api/event-types.ts";
import type { ExtensionFault, ExtensionHost, McpRegistration, ProviderRegistration } from "../api/extension-host.ts";
import type { ExtensionAPI } from "../api/extension-types.ts";
import { flagValue, type GivenFlags } from "../api/flags.ts";
import type { Logger } from "../api/logger.ts";
import type { VirtualModel } from "../api/virtual-model.ts";
import { callExec } from "../custom-tools/exec-call.ts";
import { toPendingInput } from "../custom-tools/pending-input.ts";
import { toCustomMessage } from "../hooks/prompt-hooks.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { type ExtensionInstance, NOT_READY_TEXT } from "./extension-instance.ts";
import { adaptExtensionTool } from "./extension-tool.ts";

/** What the API object of every extension uses. */
export interface ApiParts {
  /** Returns undefined until the session exists. */
  host(): ExtensionHost | undefined;
  /** Available before the session exists. */
  environment: Pick<ExtensionHost, "cwd" | "processRunner">;
  bus: EventBus;
  logger: Logger;
  typebox: ExtensionAPI["typebox"];
  pi: ExtensionAPI["pi"];
  flags: GivenFlags;
  report(fault: ExtensionFault): void;
  /** Called when registrations of extensions have changed. */
  handlersChanged(): void;
  toolsChanged(): void;
  commandsChanged(): void;
  mcpServersChanged(): void;
  /** Servers of all extensions. */
  mcpServers(): McpRegistration[];
  commands(): CommandInfo[];
  sendUserMessage(...args: Parameters<ExtensionAPI["sendUserMessage"]>): Promise<void>;
}

const DEFAULT_SOURCE = "extension";

/**
 * Creates the `pi` object of one extension. Registration works immediately, everything else once the session exists, and nothing
 * once the extension is stale.
 */
export function createExtensionApi(instance: ExtensionInstance, parts: ApiParts): ExtensionAPI {
  const { path } = instance;
  const host = (): ExtensionHost => {
    instance.requireActive();
    const current = parts.host();
    if (!current) throw new Error(NOT_READY_TEXT);
    return current;
  };
  const acting = (...call: Parameters<typeof requireArguments>): ExtensionHost => {
    const current = host();
    requireArguments(...call);
    return current;
  };
  /** Registrations during loading are reported once it has loaded. */
  const notify = (changed: () => void) => {
    if (instance.isActive) changed();
  };
  const register = <A extends unknown[], R>(work: (...args: A) => R) => {
    return (...args: A): R => {
      instance.requireNotStale();
      return work(...args);
    };
  };
  const offerProvider = (name: string, provider: ProviderRegistration) => {
    if (instance.isActive) host().registerProvider(name, provider);
    instance.providers.set(name, provider);
  };
  const withdrawProvider = (name: string) => {
    if (instance.isActive) host().unregisterProvider(name);
    instance.providers.delete(name);
  };
  /** Offers all virtual models of a provider's name, or withdraws the provider if there are none. */
  const offerVirtualModels = (provider: string) => {
    const models = [...instance.virtualModels.values()].filter((model) => model.provider === provider);
    if (models.length === 0) return withdrawProvider(provider);
    const { virtualProvider }: typeof import("./virtual-models.ts") = require("./virtual-models.ts");
    offerProvider(
      provider,
      virtualProvider(models, {
        context: () => instance.context,
        appendEntry: (customType, data) => host().appendEntry(customType, data),
      }),
    );
  };
  const report = (event: string) => (error: unknown) => parts.report({ path, event, error: describeThrown(error) });

  return Object.freeze({
    on: register((event: string, handler: unknown) => {
      if (!isHandler(handler)) throw new TypeError(`The handler of "${event}" is not a function`);
      const handlers = instance.handlers.get(event) ?? [];
      instance.handlers.set(event, [...handlers, handler]);
      notify(parts.handlersChanged);
      return () => {
        const left = instance.handlers.get(event)?.filter((other) => other !== handler) ?? [];
        instance.handlers.set(event, left);
        notify(parts.handlersChanged);
      };
    }),
    registerTool: register((definition: unknown) => {
      const tool = adaptExtensionTool(definition, {
        path,
        context: () => instance.context,
        requireLive: () => instance.requireNotStale(),
      });
      if (typeof tool === "string") return report("registerTool")(tool);
      if (tool.isUnreachable) return;
      instance.tools.set(tool.tool.name, tool);
      notify(parts.toolsChanged);
    }),
    registerCommand: register((name, command) => {
      requireArguments("registerCommand", name, command);
      if (!/^[^\s/][^\s]*$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid command name`);
      if (typeof command.handler !== "function") throw new TypeError(`The command "${name}" has no handler`);
      instance.commands.set(name, command);
      notify(parts.commandsChanged);
    }),
    registerFlag: register((name, flag) => {
      requireArguments("registerFlag", name, flag);
      instance.flags.set(name, flag);
    }),
    getFlag(name) {
      instance.requireNotStale();
      return flagValue(instance.flags.get(name), parts.flags.get(name));
    },
    registerShortcut: register((key, shortcut) => void instance.shortcuts.set(key, shortcut)),
    registerMessageRenderer: register((customType, renderer) => void instance.renderers.set(customType, renderer)),
    registerEntryRenderer: register((customType, renderer) => void instance.renderers.set(customType, renderer)),
    registerProvider: register((name, provider) => {
      requireArguments("registerProvider", name, provider);
      offerProvider(name, provider);
    }),
    unregisterProvider: register(withdrawProvider),
    registerVirtualModel: register((model: VirtualModel) => {
      const { virtualModelFault }: typeof import("./virtual-models.ts") = require("./virtual-models.ts");
      const fault = virtualModelFault(model);
      if (fault !== undefined) throw new TypeError(fault);
      const { provider, id } = model;
      instance.virtualModels.set(`${provider}/${id}`, model);
      offerVirtualModels(provider);
    }),
    unregisterVirtualModel: register((provider, id) => {
      if (instance.virtualModels.delete(`${provider}/${id}`)) offerVirtualModels(provider);
    }),
    registerMcpServer: register((name, config) => {
      requireArguments("registerMcpServer", name, config);
      const other = parts.mcpServers().find((server) => server.name === name && server.extensionPath !== path);
      if (other) throw new Error(`The MCP server ${name} is already registered by ${other.extensionPath}`);
      instance.mcpServers.set(name, structuredClone(config));
      notify(parts.mcpServersChanged);
    }),
    unregisterMcpServer: register((name) => {
      if (instance.mcpServers.delete(name)) notify(parts.mcpServersChanged);
    }),
    getMcpServers: () => structuredClone(parts.mcpServers()),
    registerToolRenderer: register((resolver) => void instance.renderers.set("tool", resolver)),
    registerMarkdownTransformer: register((transformer) => void instance.renderers.set("markdown", transformer)),
    getSettings: () => host().settings(),

    sendMessage(message, options = {}) {
      host().sendCustomMessage(toCustomMessage(message), options).catch(report("send_message"));
    },
    sendUserMessage(content, options = {}) {
      instance.requireActive();
      parts.sendUserMessage(content, options).catch(report("send_message"));
    },
    appendEntry: (customType, data) => acting("appendEntry", customType).appendEntry(customType, data),
    setSessionName: (name) => acting("setSessionName", name).setSessionName(name),
    getSessionName: () => host().sessionName,
    setLabel(...args) {
      instance.requireNotStale();
      if (args.length === 1) instance.label = args[0];
      else acting("setLabel", ...args).setLabel(...args);
    },

    getActiveTools: () => host().activeTools(),
    getAllTools: () => host().allTools(),
    setActiveTools(names) {
      const unknown = acting("setActiveTools", names).setActiveTools(names);
      if (unknown.length > 0) host().warn(`setActiveTools: there is no tool ${unknown.join(", ")} (${path})`);
    },
    getCommands: () => [...parts.commands(), ...host().otherCommands()],
    setModel: async (model) => acting("setModel", model).setModel(model),
    getThinkingLevel: () => host().thinkingLevel,
    setThinkingLevel: (level) => acting("setThinkingLevel", level).setThinkingLevel(level),

    async exec(command, args, options) {
      instance.requireNotStale();
      return callExec(parts.host() ?? parts.environment, command, args, options);
    },
    events: Object.freeze({
      on(channel: string, handler: (data: unknown) => unknown) {
        instance.requireNotStale();
        const unsubscribe = parts.bus.on(channel, guarded(handler, report(`events:${channel}`)));
        instance.cleanups.push(unsubscribe);
        return unsubscribe;
      },
      emit(channel: string, data?: unknown) {
        instance.requireNotStale();
        parts.bus.emit(channel, data);
      },
    }),
    logger: parts.logger,
    typebox: parts.typebox,
    pi: parts.pi,
    pushPendingAction(action) {
      host().pushPendingAction(toPendingInput(action, { sourceToolName: DEFAULT_SOURCE, cwd: () => host().cwd }));
    },
  } satisfies ExtensionAPI);
}

function isHandler(value: unknown): value is AnyHandler {
  return typeof value === "function";
}

/** Attributes faults of a listener to its own extension, not to the emitter. */
function guarded(handler: (data: unknown) => unknown, report: (error: unknown) => void) {
  return (data: unknown): void => {
    try {
      Promise.resolve(handler(data)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
