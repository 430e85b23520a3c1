import { join } from "node:path";
import type { Clock } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import { LazyProcessRunner, type LazySandbox } from "@pintle/exec";
import type { SessionManager, SessionStore } from "@pintle/storage";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import { chooseAgentModel } from "../agents/agent-model.ts";
import { childRules } from "../config/child-rules.ts";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { Settings } from "../config/settings/settings.ts";
import { McpServers, type McpServersParts } from "../mcp/mcp-servers.ts";
import type { Approver } from "../permissions/authorizer.ts";
import { AgentSession, type AgentSessionParts } from "../session/agent-session.ts";
import { NO_HOOKS } from "../session/attached-hooks.ts";
import { AttachedHost, type SessionHost } from "../session/attached-host.ts";
import { SessionEmitter } from "../session/conversation/event-emitter.ts";
import { OpenConversation } from "../session/conversation/open-conversation.ts";
import type { FamilyParts, OpenChild, ParentSession } from "../session/family.ts";
import { ModelState } from "../session/models/model-state.ts";
import type { SessionHooks } from "../session/session-hooks.ts";
import type { Child } from "../subagents/child.ts";
import { childDirectory } from "../subagents/child-file.ts";
import type { ChildRequest, ChildSession } from "../subagents/child-session.ts";
import type { Isolation } from "../subagents/isolation.ts";
import { RunTrace } from "../traces/run-trace.ts";
import { readTraceHeaders } from "../traces/trace-headers.ts";
import { SessionOfChild } from "./session-of-child.ts";

export interface ChildSessionsParts {
  home: string;
  clock: Clock;
  settings: Settings;
  store: SessionStore;
  registry: ModelRegistry;
  /** Returns the provider layer of a subagent that works in the directory. */
  streamFor(child: Child, directory: string): StreamModel;
  resources: AgentSessionParts["resources"];
  hasRules: boolean;
  loadAgents: AgentSessionParts["loadAgents"];
  mcp: Omit<McpServersParts, "isEnabled" | "processRunner" | "sandbox">;
  /** Creates the sandbox of commands in another directory. */
  sandboxIn(cwd: string, processRunner: LazyProcessRunner, emitter: SessionEmitter): LazySandbox;
  sandbox: LazySandbox;
  isolation: Isolation;
}

/** Returns the first usable model of an agent, as the settings or its definition name it. */
export function agentModel(
  agent: AgentDefinition,
  { settings, registry }: Pick<ChildSessionsParts, "settings" | "registry">,
): ReturnType<typeof chooseAgentModel> {
  const override = settings.get("task.agentModelOverrides")[agent.name];
  return chooseAgentModel(agent, override, {
    models: registry.getAvailable(),
    isUsable: (model) => registry.isUsable(model),
  });
}

/** Opens the sessions of subagents. They are assembled like any session, except for the parts that they share with the parent. */
export function childOpener(parts: ChildSessionsParts): OpenChild {
  return async (request, parent) => {
    const manager = await openManager(request, parent, parts.store);
    try {
      return new SessionOfChild(await assemble(request, parent, manager, parts), manager, request.outputSchema);
    } catch (error) {
      manager.close();
      throw error;
    }
  };
}

async function openManager(request: ChildRequest, parent: ParentSession, store: SessionStore): Promise<SessionManager> {
  const { from, child } = request;
  const rootFile = parent.family.subagents.rootFile;
  const path = rootFile === undefined ? undefined : join(childDirectory(rootFile), `${child.facts.id}.jsonl`);
  if (from === "parent") return parent.manager().forkFor(parent.request.leafId, path);
  if (typeof from === "object") return "file" in from ? store.open(from.file) : store.reopen(managerOf(from.memory));
  const { sessionFile } = parent.manager();
  const fields = { cwd: request.cwd ?? parent.cwd(), ...(sessionFile !== undefined && { parentSession: sessionFile }) };
  return path === undefined ? store.createInMemory(fields) : store.create({ ...fields, path });
}

function managerOf(session: ChildSession): SessionManager {
  if (session instanceof SessionOfChild) return session.manager;
  throw new Error("The session of a subagent was not opened here");
}

async function assemble(
  { child, agent, tools, from, cwd }: ChildRequest,
  parent: ParentSession,
  manager: SessionManager,
  parts: ChildSessionsParts,
): Promise<AgentSession> {
  const { settings, registry, store, home, clock } = parts;
  const isFork = from === "parent";
  const directory = cwd ?? parent.cwd();
  const events = new SessionEmitter();
  const host = new AttachedHost(events);
  host.attach(hostOfChild(parent, child.origin));
  const conversation = new OpenConversation({
    store,
    manager,
    cwd: directory,
    isFixed: true,
    emit: (event) => events.emit(event),
  });
  const { choice } = isFork ? {} : agentModel(agent, parts);
  const models = new ModelState({
    registry,
    settings,
    model: choice?.model ?? parent.model,
    thinkingLevel: (isFork ? undefined : (agent.thinkingLevel ?? choice?.thinkingLevel)) ?? parent.thinkingLevel,
    cacheKey: () => (isFork ? parent.request.cacheKey : manager.cacheKey),
  });
  if (typeof from === "object") models.restore(manager.buildContext());
  const processRunner = new LazyProcessRunner(childRules(settings, registry));
  const sandbox = cwd === undefined ? parts.sandbox : parts.sandboxIn(cwd, processRunner, events);
  const family: FamilyParts = {
    ...parent.family,
    own: { child, agent },
    permissionMode: agent.permissionMode,
    maxTurns: agent.maxTurns ?? 0,
    declared: isFork ? parent.request.declared : undefined,
  };
  const session = new AgentSession({
    cwd: directory,
    home,
    clock,
    settings,
    store,
    events,
    host,
    conversation,
    policy: cwd === undefined ? parent.policy : parent.policy.inDirectory(cwd),
    processRunner,
    sandbox,
    // Servers belong to the session that the host has opened. Their tools come from there.
    mcp: new McpServers({ ...parts.mcp, isEnabled: false, processRunner }),
    project: { askConsent: async () => {}, withheld: () => undefined, enter: async () => {} },
    models,
    resources: {
      ...parts.resources,
      appendSystemPrompt: [
        ...(parts.resources.appendSystemPrompt ?? []),
        ...(agent.prompt === "" ? [] : [agent.prompt]),
      ],
    },
    loadAgents: parts.loadAgents,
    tools: [],
    toolSelection: { only: tools },
    hasRules: parts.hasRules,
    stream: parts.streamFor(child, directory),
    trace: traceOfChild(parent, child.facts.parentToolCallId),
    family,
    openChild: childOpener(parts),
    agentModel: (definition) => agentModel(definition, parts),
    // The changes of a nested worktree would have to be applied to a worktree that has been removed by then.
    ...(cwd === undefined && { isolation: parts.isolation }),
  });
  for (const source of ["extension", "custom", "mcp", "host"] as const) {
    session.tooling.share(source, parent.tools.of(source), child.origin);
  }
  session.useHooks(hooksOfChild(parent, isFork ? parent.request.systemPrompt : undefined));
  return session;
}

/** Passes questions of a subagent to the host of its family. */
function hostOfChild({ host, ready }: ParentSession, subagent: ChildRequest["child"]["origin"]): SessionHost {
  return {
    get approve() {
      const { approver } = host;
      const ask: Approver = (question, signal) => host.approve({ subagent, ...question }, signal);
      return approver && ask;
    },
    get answersApprovals() {
      return host.answersApprovals;
    },
    get workplace() {
      return host.workplace;
    },
    get decidesPreviews() {
      return host.decidesPreviews;
    },
    // Limits of the family are raised where they are checked.
    raisesBudgets: false,
    reader: { ready },
  };
}

/** Returns the hooks that decide about tool calls and requests. Events of a subagent are not those of its family. */
function hooksOfChild({ hooks }: ParentSession, systemPrompt: string | undefined): SessionHooks {
  return {
    ...NO_HOOKS,
    get loop() {
      const { toolCall, toolResult } = hooks().loop;
      return { toolCall, toolResult };
    },
    wrapFetch: (fetch) => hooks().wrapFetch(fetch),
    ...(systemPrompt !== undefined && { beforeRun: async () => ({ messages: [], systemPrompt }) }),
  };
}

function traceOfChild({ traceOf }: ParentSession, toolCallId: string): RunTrace {
  const headers = traceOf(toolCallId);
  return new RunTrace(headers && readTraceHeaders(headers));
}
