import { textsOf } from "@pintle/ai";
import type { LazyProcessRunner } from "@pintle/exec";
import { SessionError } from "@pintle/storage";
import type { ModelRegistry } from "../../config/models/model-registry.ts";
import { type SlashCommand, toPiCommand } from "../../resources/prompts/slash-commands.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { CommandInfo, ExtensionHost, SourceInfo, ToolInfo, UserContent } from "../api/extension-host.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import { viewModels } from "./model-view.ts";
import { providerHost } from "./provider-registration.ts";
import { viewSession } from "./session-view.ts";
import { settingsTree } from "./settings-tree.ts";

export interface SessionHostParts {
  session: AgentSession;
  registry: ModelRegistry;
  processRunner: LazyProcessRunner;
  isProjectTrusted(): boolean;
  ui(): ExtensionUi | undefined;
  reload(): Promise<void>;
  /** Called on shutdown; the mode decides what happens. */
  shutdown(): void;
}

/** Creates the session as its extensions see it. */
export function createSessionHost(parts: SessionHostParts): ExtensionHost {
  const { session, registry } = parts;
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
    get scopedModels() {
      return session.modelState.scope.map((scoped) => ({ ...scoped }));
    },
    get isIdle() {
      return !session.isStreaming;
    },
    get signal() {
      return session.runs.signal;
    },
    get hasQueuedMessages() {
      return session.queue.count > 0;
    },
    get systemPrompt() {
      return session.systemPrompt.text;
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

    sendCustomMessage: (message, options) => session.prompting.sendCustom(message, options),
    sendUserMessage: (content, { deliverAs }) => sendUserMessage(session, content, deliverAs),
    appendEntry: (customType, data) => void session.manager.appendCustom(customType, data),
    setSessionName: (name) => session.conversation.rename(name),
    setLabel: (entryId, label) => void session.manager.setLabel(entryId, label),

    setExtensionTools(tools) {
      for (const { tool, path } of tools) toolPaths.set(tool.name, path);
      session.tooling.setExtensions(tools);
    },
    // Excludes `resolve`, which is added and removed automatically, so that the result can be passed to setActiveTools.
    activeTools: () => session.tooling.registry.active().map(({ name }) => name),
    allTools: () =>
      session.tooling.registry.list().map(
        ({ tool: { name, description, parameters, annotations }, source }): ToolInfo => ({
          name,
          description,
          parameters,
          ...(annotations && { annotations: { ...annotations } }),
          sourceInfo: sourceInfo(source, toolPaths.get(name)),
        }),
      ),
    setActiveTools: (names) => session.tooling.registry.setActive(names),
    otherCommands: () => session.commands.others.flatMap(commandInfo),
    forgetResources: () => session.resources.forget(),
    commandsChanged: () => session.commands.changed(),
    async duringReplacement(work) {
      const resume = session.commands.hold();
      try {
        await work();
      } finally {
        session.resources.forget();
        resume();
        session.commands.changed();
      }
    },
    async setModel({ provider, id }) {
      try {
        await session.models.discoverAndSet(provider, id);
        return true;
      } catch (error) {
        if (error instanceof SessionError) return false;
        throw error;
      }
    },
    setThinkingLevel: (level) => session.models.setLevel(level),
    ...providerHost(registry),
    pushPendingAction: (action) => session.tooling.previews.push(action),
    setMcpServers: (servers) =>
      session.mcp.setExtensionServers(servers.map(({ name, config }) => ({ ...config, name }))),
    settings: () => settingsTree(session.settings),

    // Never rejects: an abort waits for the run, however that ends.
    abort: () => void session.abort(),
    compact: ({ customInstructions }) => session.lifecycle.compact(customInstructions),
    waitForIdle: () => session.runs.settled(),
    shutdown: parts.shutdown,
    newSession: async ({ parentSession, prepare }) => ({
      cancelled: await session.changes.newSession({ parentSession, ...(prepare && { setup: prepare }) }),
    }),
    async fork(entryId, position) {
      if (position === "at") return { cancelled: await session.changes.clone(entryId) };
      return { cancelled: (await session.changes.branch(entryId)).cancelled };
    },
    switchSession: async (path) => ({ cancelled: await session.changes.switchSession(path) }),
    async navigateTree(entryId, request) {
      try {
        await session.lifecycle.navigateTree(entryId, request);
      } catch (error) {
        if (error instanceof SessionError && error.code === "cancelled") return { cancelled: true };
        throw error;
      }
      return { cancelled: false };
    },
    reload: parts.reload,

    processRunner: () => parts.processRunner.open(),
    report: ({ path, event, error }) =>
      session.events.emit({ type: "extension_error", extensionPath: path, event, error }),
    warn: (message) => session.events.emit({ type: "notice", level: "warning", message, source: "extension" }),
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
  await session.prompting.submit({
    text,
    ...(images.length > 0 && { images }),
    source: "extension",
    ...(deliverAs && { streamingBehavior: deliverAs }),
  }).started;
}

/** Describes a command for extensions. Returns an empty list for commands that they do not see. */
function commandInfo(command: SlashCommand): CommandInfo[] {
  const row = toPiCommand(command);
  if (!row) return [];
  const { name, description, source, sourceInfo } = row;
  return [{ name, ...(description !== undefined && { description }), source, sourceInfo }];
}

function sourceInfo(source: string, path: string | undefined): SourceInfo {
  return { path: path ?? `<${source}>`, source, scope: "user", origin: "top-level" };
}
