import type { AgentMessage, Clock } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { ConversationRequest } from "../../compaction/compaction-types.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { ApprovedPaths } from "../../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../../permissions/approved-scripts.ts";
import type { Previews } from "../../previews/previews.ts";
import type { SessionResources } from "../../resources/session-resources.ts";
import type { LazySandbox } from "../../sandbox/lazy-sandbox.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { ModelState } from "../models/model-state.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { AutoRetry } from "./auto-retry.ts";
import { BudgetPolicy } from "./budget-policy.ts";
import type { CacheGuard } from "./cache-guard.ts";
import { DatePolicy } from "./date-policy.ts";
import { deferredToolsPolicy } from "./deferred-tools-policy.ts";
import { lateToolsPolicy } from "./late-tools-policy.ts";
import { ModelFallback } from "./model-fallback.ts";
import { PermissionsPolicy } from "./permissions-policy.ts";
import { previewsPolicy } from "./previews-policy.ts";
import { RulesPolicy } from "./rules-policy.ts";
import { RunPolicies } from "./run-policies.ts";
import { SessionCompaction } from "./session-compaction.ts";
import type { SessionTodos } from "./session-todos.ts";

export interface PolicyListParts {
  settings: Settings;
  clock: Clock;
  stream: StreamModel;
  /** pintle's own directory. */
  home: string;
  resources: SessionResources;
  models: ModelState;
  conversation: OpenConversation;
  guard: CacheGuard;
  messages(): readonly AgentMessage[];
  /** What the model is sent besides messages. */
  overheadTokens(): number;
  /** Undefined: no provider has the conversation in its cache. */
  conversationRequest(): Promise<ConversationRequest | undefined>;
  previews: Previews;
  registry: ToolRegistry;
  tooling: SessionTools;
  sandbox: LazySandbox | undefined;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  todos: SessionTodos;
  /** False: no rule watches what the model writes. */
  hasRules: boolean;
  /** Ends the active run because its budget is used up. */
  endRun(): void;
  emit(event: AgentSessionEvent): void;
  hooks(): SessionHooks;
}

/** The policies of a session in their one order, and those that others ask for by name. */
export function createPolicies(parts: PolicyListParts) {
  const { settings, clock, models, conversation, previews, todos, resources, emit, hooks } = parts;
  const manager = () => conversation.manager;
  const cwd = () => conversation.cwd;
  const rules = new RulesPolicy({
    ...{ settings, clock, home: parts.home, cwd, manager, emit },
    isEnabled: parts.hasRules,
    resources: () => resources.load(cwd()),
  });
  const budget = new BudgetPolicy({ settings, clock, models, manager, emit, endRun: parts.endRun });
  const compaction = new SessionCompaction({
    ...{ settings, clock, models, manager, emit, hooks },
    stream: parts.stream,
    budget,
    messages: parts.messages,
    overheadTokens: parts.overheadTokens,
    conversationRequest: parts.conversationRequest,
    adoptContext: (change) => conversation.replaceContext(change),
  });
  const retry = new AutoRetry({ settings, clock, emit });
  const fallback = new ModelFallback({ settings, clock, models, manager, emit, isCancelled: () => retry.isCancelled });
  const permissions = new PermissionsPolicy({
    settings,
    home: parts.home,
    cwd,
    registry: parts.registry,
    sandbox: parts.sandbox,
    approved: parts.approved,
    scripts: parts.scripts,
    previews,
    manager,
    emit,
  });
  const list = [
    parts.guard,
    budget,
    permissions,
    rules,
    compaction,
    new DatePolicy({ resources, clock, messages: parts.messages }),
    previewsPolicy({ previews, settings, clock, models, conversation }),
    retry,
    fallback,
    todos,
    lateToolsPolicy({ tooling: parts.tooling, clock, conversation }),
    deferredToolsPolicy({ tooling: parts.tooling, clock, conversation, messages: parts.messages }),
  ];
  return { budget, permissions, rules, compaction, retry, policies: new RunPolicies(list, { manager, hooks }) };
}
