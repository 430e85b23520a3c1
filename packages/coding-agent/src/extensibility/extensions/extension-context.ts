import type { EventFields } from "../api/event-types.ts";
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
import { extended } from "./extended.ts";
import type { Contexts, ExtensionInstance, ScopedContexts } from "./extension-instance.ts";
import { requireNoSetup, setUpSession } from "./session-setup.ts";

/** Notified when a dialog opens and when it closes. */
type WatchDialogs = (event: "ui_prompt_start" | "ui_prompt_end", prompt: EventFields<"ui_prompt_start">) => void;

interface ContextParts {
  instance: ExtensionInstance;
  watchDialogs: WatchDialogs;
  host: ExtensionHost;
  /** The instance of the same extension in the session that is open now. */
  successor(): ExtensionInstance | undefined;
  sendUserMessage: ReplacedSessionContext["sendUserMessage"];
}

/** Creates `ctx` in two scopes. Dialogs always end with the instance; those of the first scope also end with the active run. */
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

/** Creates the `ctx` of handlers and that of commands, which can do more. Every use of a stale one throws. */
function createContexts(parts: ContextParts): Contexts {
  const { instance, host } = parts;
  const live = (): ExtensionHost => {
    instance.requireNotStale();
    return host;
  };
  const context = createContext(parts, live);
  return { context, commandContext: extended(context, commandMethods(parts, live)) };
}

function createContext(parts: ContextParts, live: () => ExtensionHost): ExtensionContext {
  const { instance } = parts;
  const uiOf = uiWithClock(parts);
  return {
    get ui() {
      return uiOf(live().ui);
    },
    get hasUI() {
      return canAsk(live().ui);
    },
    get mode() {
      return canAsk(live().ui) ? "rpc" : "print";
    },
    get thinkingLevel() {
      return live().thinkingLevel;
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
    get scopedModels() {
      return live().scopedModels;
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
    // Never rejects: failures go to onError.
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
    getSystemPromptOptions: () => ({ cwd: live().cwd, selectedTools: live().activeTools() }),
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

async function compact(host: ExtensionHost, { path }: ExtensionInstance, options: CompactOptions = {}): Promise<void> {
  const { customInstructions, onComplete, onError } = options;
  const notify = (callback: () => unknown) => {
    try {
      callback();
    } catch (error) {
      host.report({ path, event: "compact", error: describeThrown(error) });
    }
  };
  try {
    const result = await host.compact(customInstructions === undefined ? {} : { customInstructions });
    notify(() => onComplete?.(result));
  } catch (error) {
    notify(() => onError?.(error instanceof Error ? error : new Error(describeThrown(error))));
  }
}

/** Returns the mode's dialogs; time spent in them does not count against the extension's limits. */
function uiWithClock({
  instance: { dialogs },
  watchDialogs,
}: ContextParts): (ui: ExtensionUi | undefined) => ExtensionUi {
  let wrapped: { of: ExtensionUi; ui: ExtensionUi } | undefined;
  const asking = async <T>(kind: EventFields<"ui_prompt_start">["kind"], title: string, ask: () => Promise<T>) => {
    const prompt = { reason: "ui_prompt" as const, kind, title };
    watchDialogs("ui_prompt_start", prompt);
    try {
      return await dialogs.ask(ask);
    } finally {
      watchDialogs("ui_prompt_end", prompt);
    }
  };
  return (ui) => {
    if (!ui) return noUi;
    if (wrapped?.of !== ui) {
      wrapped = {
        of: ui,
        ui: {
          ...ui,
          select: (...args) => asking("select", args[0], () => ui.select(...args)),
          confirm: (...args) => asking("confirm", args[0], () => ui.confirm(...args)),
          input: (...args) => asking("input", args[0], () => ui.input(...args)),
          editor: (...args) => asking("editor", args[0], () => ui.editor(...args)),
        },
      };
    }
    return wrapped.ui;
  };
}
