import type { ChangeOutcome, ExtensionHost } from "../api/extension-host.ts";
import type {
  CompactOptions,
  ExtensionCommandContext,
  ExtensionContext,
  ReplacedSessionContext,
} from "../api/extension-types.ts";
import { toCustomMessage } from "../hooks/prompt-hooks.ts";
import { describeThrown } from "../loading/load-fault.ts";
import { dialogsUntil } from "../ui/dialogs-until.ts";
import { canAsk, noUi } from "../ui/no-ui.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { Contexts, ExtensionInstance, ScopedContexts } from "./extension-instance.ts";
import { requireNoSetup, setUpSession } from "./session-setup.ts";

interface ContextParts {
  instance: ExtensionInstance;
  host: ExtensionHost;
  /** The same extension in the session that is open now. */
  successor(): ExtensionInstance | undefined;
  sendUserMessage: ReplacedSessionContext["sendUserMessage"];
}

/** `ctx` in two forms: dialogs end with the instance in any case, and with the active run in the first. */
export function createScopedContexts({ instance, host, ...parts }: ContextParts): ScopedContexts {
  const within = (signal: () => AbortSignal | undefined) => {
    const get = dialogsUntil(
      () => host.ui,
      () => [instance.life, signal()],
    );
    const scoped: ExtensionHost = Object.create(host, { ui: { get, enumerable: true } });
    return createContexts({ ...parts, instance, host: scoped });
  };
  return { run: within(() => host.signal), session: within(() => undefined) };
}

/** `ctx` of handlers, and that of commands, which can do more. Every use of a stale one throws. */
function createContexts(parts: ContextParts): Contexts {
  const { instance, host } = parts;
  const live = (): ExtensionHost => {
    instance.requireNotStale();
    return host;
  };
  const context = createContext(instance, live);
  return { context, commandContext: extended(context, commandMethods(parts, live)) };
}

function createContext(instance: ExtensionInstance, live: () => ExtensionHost): ExtensionContext {
  const uiOf = uiWithClock(instance);
  return {
    get ui() {
      return uiOf(live().ui);
    },
    get hasUI() {
      return canAsk(live().ui);
    },
    get cwd() {
      return live().cwd;
    },
    get sessionManager() {
      return live().sessionManager;
    },
    get modelRegistry() {
      return live().modelRegistry;
    },
    get model() {
      return live().model;
    },
    get signal() {
      return live().signal;
    },
    isIdle: () => live().isIdle,
    abort: () => live().abort(),
    hasPendingMessages: () => live().hasQueuedMessages,
    hasQueuedMessages: () => live().hasQueuedMessages,
    shutdown: () => live().shutdown(),
    getContextUsage: () => live().contextUsage,
    // Does not reject: a failure goes to onError.
    compact: (options) => void compact(live(), instance, options),
    getSystemPrompt: () => live().systemPrompt,
    isProjectTrusted: () => live().isProjectTrusted,
  };
}

type CommandMethods = Omit<ExtensionCommandContext, keyof ExtensionContext>;

function commandMethods(parts: ContextParts, live: () => ExtensionHost): CommandMethods {
  const changing = (method: string): ExtensionHost => {
    requireNoSetup(method);
    return live();
  };
  const change = async (
    work: Promise<ChangeOutcome>,
    withSession: ((ctx: ReplacedSessionContext) => unknown) | undefined,
  ): Promise<ChangeOutcome> => {
    const outcome = await work;
    const next = outcome.cancelled ? undefined : parts.successor();
    if (next?.isActive) await withSession?.(extended(next.commandContext, messageMethods(next, parts)));
    return outcome;
  };
  const fork: ExtensionCommandContext["fork"] = async (entryId, { position = "before", withSession } = {}) =>
    change(changing("fork").fork(entryId, position), withSession);
  return {
    waitForIdle: async () => live().waitForIdle(),
    newSession: async ({ parentSession, setup, withSession } = {}) =>
      change(
        changing("newSession").newSession({
          ...(parentSession !== undefined && { parentSession }),
          ...(setup && { prepare: (manager) => setUpSession(setup, manager) }),
        }),
        withSession,
      ),
    fork,
    branch: fork,
    navigateTree: async (entryId, options = {}) => changing("navigateTree").navigateTree(entryId, options),
    switchSession: async (path, { withSession } = {}) =>
      change(changing("switchSession").switchSession(path), withSession),
    reload: async () => live().reload(),
  };
}

type MessageMethods = Omit<ReplacedSessionContext, keyof ExtensionCommandContext>;

function messageMethods(instance: ExtensionInstance, { host, sendUserMessage }: ContextParts): MessageMethods {
  return {
    async sendMessage(message, options = {}) {
      instance.requireActive();
      await host.sendCustomMessage(toCustomMessage(message), options);
    },
    async sendUserMessage(content, options = {}) {
      instance.requireActive();
      await sendUserMessage(content, options);
    },
  };
}

/** A copy with more in it; what was asked at each use still is. */
function extended<T extends object, M extends object>(context: T, methods: M): T & M {
  return Object.defineProperties({} as T & M, {
    ...Object.getOwnPropertyDescriptors(context),
    ...Object.getOwnPropertyDescriptors(methods),
  });
}

async function compact(host: ExtensionHost, { path }: ExtensionInstance, options: CompactOptions = {}): Promise<void> {
  const { customInstructions, onComplete, onError } = options;
  const tell = (callback: () => unknown) => {
    try {
      callback();
    } catch (error) {
      host.report({ path, event: "compact", error: describeThrown(error) });
    }
  };
  try {
    const result = await host.compact(customInstructions === undefined ? {} : { customInstructions });
    tell(() => onComplete?.(result));
  } catch (error) {
    tell(() => onError?.(error instanceof Error ? error : new Error(describeThrown(error))));
  }
}

/** The mode's dialogs, whose time is not counted as the extension's. */
function uiWithClock({ dialogs }: ExtensionInstance): (ui: ExtensionUi | undefined) => ExtensionUi {
  let wrapped: { of: ExtensionUi; ui: ExtensionUi } | undefined;
  return (ui) => {
    if (!ui) return noUi;
    if (wrapped?.of !== ui) {
      wrapped = {
        of: ui,
        ui: {
          ...ui,
          select: (...args) => dialogs.ask(() => ui.select(...args)),
          confirm: (...args) => dialogs.ask(() => ui.confirm(...args)),
          input: (...args) => dialogs.ask(() => ui.input(...args)),
          editor: (...args) => dialogs.ask(() => ui.editor(...args)),
        },
      };
    }
    return wrapped.ui;
  };
}
