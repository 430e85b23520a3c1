import type { CommandInfo } from "../../session/session-hooks.ts";
import { requireArguments } from "../api/check-arguments.ts";
import type { EventBus } from "../api/event-bus.ts";
import type { AnyHandler } from "../api/event-types.ts";
import type { ExtensionFault, ExtensionHost } from "../api/extension-host.ts";
import type { ExtensionAPI } from "../api/extension-types.ts";
import { flagValue, type GivenFlags } from "../api/flags.ts";
import type { Logger } from "../api/logger.ts";
import { callExec } from "../custom-tools/exec-call.ts";
import { toPendingInput } from "../custom-tools/pending-input.ts";
import { toCustomMessage } from "../hooks/prompt-hooks.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { type ExtensionInstance, NOT_READY_TEXT } from "./extension-instance.ts";
import { adaptExtensionTool } from "./extension-tool.ts";

/** What the API of every extension works on. */
export interface ApiParts {
  /** Undefined until the session is there. */
  host(): ExtensionHost | undefined;
  /** Before there is a session too. */
  rim: Pick<ExtensionHost, "cwd" | "gateway">;
  bus: EventBus;
  logger: Logger;
  typebox: ExtensionAPI["typebox"];
  pi: ExtensionAPI["pi"];
  flags: GivenFlags;
  report(fault: ExtensionFault): void;
  /** What extensions registered is different from now on. */
  handlersChanged(): void;
  toolsChanged(): void;
  commandsChanged(): void;
  commands(): CommandInfo[];
  sendUserMessage(...args: Parameters<ExtensionAPI["sendUserMessage"]>): Promise<void>;
}

const DEFAULT_SOURCE = "extension";

/** `pi` of one extension. Registration works at once, everything else when the session is there, nothing when it is stale. */
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
  /** What is registered while it loads is told when it has loaded. */
  const tell = (changed: () => void) => {
    if (instance.isActive) changed();
  };
  const register = <A extends unknown[]>(work: (...args: A) => void) => {
    return (...args: A): void => {
      instance.requireNotStale();
      work(...args);
    };
  };
  const report = (event: string) => (error: unknown) => parts.report({ path, event, error: describeThrown(error) });

  return Object.freeze({
    on: register((event: string, handler: unknown) => {
      if (!isHandler(handler)) throw new TypeError(`The handler of "${event}" is not a function`);
      const handlers = instance.handlers.get(event) ?? [];
      instance.handlers.set(event, [...handlers, handler]);
      tell(parts.handlersChanged);
    }),
    registerTool: register((definition: unknown) => {
      const tool = adaptExtensionTool(definition, { path, context: () => instance.context });
      if (typeof tool === "string") return report("registerTool")(tool);
      instance.tools.set(tool.tool.name, tool);
      tell(parts.toolsChanged);
    }),
    registerCommand: register((name, command) => {
      requireArguments("registerCommand", name, command);
      if (!/^[^\s/][^\s]*$/.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a command`);
      if (typeof command.handler !== "function") throw new TypeError(`The command "${name}" has no handler`);
      instance.commands.set(name, command);
      tell(parts.commandsChanged);
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
      if (instance.isActive) host().registerProvider(name, provider);
      instance.providers.set(name, provider);
    }),
    unregisterProvider: register((name) => {
      if (instance.isActive) host().unregisterProvider(name);
      instance.providers.delete(name);
    }),

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
      return callExec(parts.host() ?? parts.rim, command, args, options);
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
      host().pushPendingAction(toPendingInput(action, DEFAULT_SOURCE));
    },
  } satisfies ExtensionAPI);
}

function isHandler(value: unknown): value is AnyHandler {
  return typeof value === "function";
}

/** Faults of a listener are its extension's, not those of the emitter. */
function guarded(handler: (data: unknown) => unknown, report: (error: unknown) => void) {
  return (data: unknown): void => {
    try {
      Promise.resolve(handler(data)).catch(report);
    } catch (error) {
      report(error);
    }
  };
}
