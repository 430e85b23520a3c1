import { textsOf } from "@pintle/ai";
import type { ModelRegistry } from "../../config/models/model-registry.ts";
import type { LazyGateway } from "../../processes/lazy-gateway.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { SessionError } from "../../storage/session-error.ts";
import type { ExtensionHost, SourceInfo, ToolInfo, UserContent } from "../api/extension-host.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { AnnouncedCommands } from "./announced-commands.ts";
import { providerHost } from "./provider-registration.ts";
import { viewModels, viewSession } from "./session-view.ts";

export interface SessionHostParts {
  session: AgentSession;
  registry: ModelRegistry;
  gateway: LazyGateway;
  isProjectTrusted(): boolean;
  ui(): ExtensionUi | undefined;
  commands: Pick<AnnouncedCommands, "others" | "announce" | "hold" | "resume">;
  reload(): Promise<void>;
  /** The mode decides what it means. */
  shutdown(): void;
}

/** A session as its extensions see and use it. */
export function createSessionHost(parts: SessionHostParts): ExtensionHost {
  const { session, registry, commands } = parts;
  const sessionManager = viewSession(
    () => session.manager,
    () => session.cwd,
  );
  const modelRegistry = viewModels(registry);
  const toolPaths = new Map<string, string>();
  return {
    get cwd() {
      return session.cwd;
    },
    get model() {
      return session.model;
    },
    get thinkingLevel() {
      return session.thinkingLevel;
    },
    get isIdle() {
      return !session.isStreaming;
    },
    get signal() {
      return session.runSignal;
    },
    get hasQueuedMessages() {
      return session.queue.count > 0;
    },
    get systemPrompt() {
      return session.systemPrompt;
    },
    get contextUsage() {
      return session.getContextUsage();
    },
    get sessionName() {
      return session.sessionName;
    },
    sessionManager,
    modelRegistry,
    get isProjectTrusted() {
      return parts.isProjectTrusted();
    },
    get ui() {
      return parts.ui();
    },

    sendCustomMessage: (message, options) => session.sendCustomMessage(message, options),
    sendUserMessage: (content, { deliverAs }) => sendUserMessage(session, content, deliverAs),
    appendEntry: (customType, data) => void session.manager.appendCustom(customType, data),
    setSessionName: (name) => session.setSessionName(name),
    setLabel: (entryId, label) => void session.manager.setLabel(entryId, label),

    setExtensionTools(tools) {
      for (const { tool, path } of tools) toolPaths.set(tool.name, path);
      session.tooling.setExtensions(tools);
    },
    // Without `resolve`, which comes and goes by itself: what is given here can be chosen again.
    activeTools: () => session.toolRegistry.active().map(({ name }) => name),
    allTools: () =>
      session.toolRegistry.list().map(
        ({ tool: { name, description, parameters, annotations }, source }): ToolInfo => ({
          name,
          description,
          parameters,
          ...(annotations && { annotations: { ...annotations } }),
          sourceInfo: sourceInfo(source, toolPaths.get(name)),
        }),
      ),
    setActiveTools: (names) => session.toolRegistry.setActive(names),
    otherCommands: () => commands.others,
    forgetResources: () => session.forgetResources(),
    commandsChanged: () => commands.announce(),
    async duringReplacement(work) {
      commands.hold();
      try {
        await work();
      } finally {
        session.forgetResources();
        commands.resume();
        commands.announce();
      }
    },
    async setModel({ provider, id }) {
      try {
        await session.setModel(provider, id);
        return true;
      } catch (error) {
        if (error instanceof SessionError) return false;
        throw error;
      }
    },
    setThinkingLevel: (level) => session.setThinkingLevel(level),
    ...providerHost(registry),
    pushPendingAction: (action) => session.tooling.previews.push(action),

    // Does not reject: an abort waits for the run, whatever becomes of it.
    abort: () => void session.abort(),
    compact: ({ customInstructions }) => session.compact(customInstructions),
    waitForIdle: () => session.waitForIdle(),
    shutdown: parts.shutdown,
    newSession: async ({ parentSession, prepare }) => ({
      cancelled: await session.newSession({ parentSession, ...(prepare && { setup: prepare }) }),
    }),
    async fork(entryId, position) {
      if (position === "at") return { cancelled: await session.clone(entryId) };
      return { cancelled: (await session.branch(entryId)).cancelled };
    },
    switchSession: async (path) => ({ cancelled: await session.switchSession(path) }),
    async navigateTree(entryId, request) {
      try {
        await session.navigateTree(entryId, request);
      } catch (error) {
        if (error instanceof SessionError && error.code === "cancelled") return { cancelled: true };
        throw error;
      }
      return { cancelled: false };
    },
    reload: parts.reload,

    gateway: () => parts.gateway.open(),
    report: ({ path, event, error }) => session.emit({ type: "extension_error", extensionPath: path, event, error }),
    warn: (message) => session.emit({ type: "notice", level: "warning", message, source: "extension" }),
  };
}

async function sendUserMessage(
  session: AgentSession,
  content: UserContent,
  deliverAs: "steer" | "followUp" | undefined,
): Promise<void> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const text = textsOf(blocks).join("\n");
  const images = blocks.filter((block) => block.type === "image");
  await session.submit({
    text,
    ...(images.length > 0 && { images }),
    source: "extension",
    ...(deliverAs && { streamingBehavior: deliverAs }),
  }).started;
}

function sourceInfo(source: string, path: string | undefined): SourceInfo {
  return { path: path ?? `<${source}>`, source, scope: "user", origin: "top-level" };
}
