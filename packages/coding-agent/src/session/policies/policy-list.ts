import type { AgentMessage, Clock } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import type { LazySandbox } from "@pintle/exec";
import type { AgentSessionEvent } from "@pintle/wire";
import type { ConversationRequest } from "../../compaction/compaction-types.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import type { ApprovedPaths } from "../../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../../permissions/approved-scripts.ts";
import type { Previews } from "../../previews/previews.ts";
import type { SessionResources } from "../../resources/session-resources.ts";
import type { Delegation } from "../../subagents/delegation.ts";
import type { Isolation } from "../../subagents/isolation.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { OpenConversation } from "../conversation/open-conversation.ts";
import type { FamilyParts } from "../family.ts";
import type { ModelState } from "../models/model-state.ts";
import type { PolicyState } from "../permissions/policy-state.ts";
import type { RunResults } from "../results/run-results.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { SessionTools } from "../tools/session-tools.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { SessionUndo } from "../undo/session-undo.ts";
import { AutoRetry } from "./auto-retry.ts";
import { BudgetPolicy } from "./budget-policy.ts";
import type { CacheGuard } from "./cache-guard.ts";
import { DatePolicy } from "./date-policy.ts";
import { jobsPolicy } from "./jobs-policy.ts";
import { leftWorktreesPolicy } from "./left-worktrees-policy.ts";
import { ModelFallback } from "./model-fallback.ts";
import { OutputPolicy } from "./output-policy.ts";
import { permissionNewsPolicy } from "./permission-news-policy.ts";
import { PermissionsPolicy } from "./permissions-policy.ts";
import { createPreviewSteering } from "./previews-policy.ts";
import { RulesPolicy } from "./rules-policy.ts";
import { RunPolicies } from "./run-policies.ts";
import { SessionCompaction } from "./session-compaction.ts";
import type { SessionTodos } from "./session-todos.ts";
import { settlePolicy } from "./settle-policy.ts";
import { subagentsPolicy } from "./subagents-policy.ts";
import { toolNewsPolicy } from "./tool-news-policy.ts";
import { UndoPolicy } from "./undo-policy.ts";

export interface PolicyListParts {
  settings: Settings;
  host: AttachedHost;
  clock: Clock;
  stream: StreamModel;
  /** The configuration directory of pintle. */
  home: string;
  resources: SessionResources;
  models: ModelState;
  conversation: OpenConversation;
  guard: CacheGuard;
  messages(): readonly AgentMessage[];
  /** Returns the permissions that the system prompt names. */
  promptedPermissions(): string;
  /** Returns the tokens of a request without its messages. */
  overheadTokens(): number;
  /** Returns undefined if no provider has cached the conversation. */
  conversationRequest(): Promise<ConversationRequest | undefined>;
  previews: Previews;
  results: RunResults;
  registry: ToolRegistry;
  policy: PolicyState;
  tooling: SessionTools;
  sandbox: LazySandbox;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  todos: SessionTodos;
  jobs: BackgroundJobs;
  delegation: Delegation;
  isolation: Isolation | undefined;
  /** Set in the session of a subagent. */
  family?: FamilyParts | undefined;
  undo: SessionUndo;
  /** False turns off rules that watch the model's output. */
  hasRules: boolean;
  /** Ends the active run because its budget is used up. `why` is a clause that names the limit. */
  endRun(why: string): void;
  emit(event: AgentSessionEvent): void;
  hooks(): SessionHooks;
}

/** Creates the policies of a session in their fixed order, and returns those that others use by name. */
export function createPolicies(parts: PolicyListParts) {
  const { settings, host, clock, models, conversation, previews, todos, resources, emit, hooks } = parts;
  const manager = () => conversation.manager;
  const cwd = () => conversation.cwd;
  const rules = new RulesPolicy({
    settings,
    clock,
    home: parts.home,
    cwd,
    manager,
    emit,
    isEnabled: parts.hasRules,
    resources: () => resources.load(cwd()),
  });
  const { family, delegation } = parts;
  const budget = new BudgetPolicy({
    settings,
    host,
    clock,
    models,
    manager,
    emit,
    endRun: parts.endRun,
    family: family?.budget,
    isCounted: (message) => delegation.hasCounted(message),
  });
  const { results } = parts;
  const compaction = new SessionCompaction({
    settings,
    clock,
    models,
    manager,
    emit,
    hooks,
    stream: parts.stream,
    budget,
    results,
    messages: parts.messages,
    overheadTokens: parts.overheadTokens,
    conversationRequest: parts.conversationRequest,
    adoptContext: (change) => conversation.replaceContext(change),
  });
  const retry = new AutoRetry({ settings, clock, emit });
  const fallback = new ModelFallback({ settings, clock, models, manager, emit, isCancelled: () => retry.isCancelled });
  const permissions = new PermissionsPolicy({
    settings,
    host,
    cwd,
    registry: parts.registry,
    state: parts.policy,
    sandbox: parts.sandbox,
    approved: parts.approved,
    scripts: parts.scripts,
    previews,
    results,
    manager,
    family,
    emit,
  });
  const steering = createPreviewSteering({ previews, clock, models, conversation });
  const output = new OutputPolicy({
    settings,
    models,
    schemas: conversation.schemas,
    obstacle: steering.obstacle,
    emit,
  });
  const list = [
    parts.guard,
    budget,
    permissions,
    permissionNewsPolicy({
      facts: () => permissions.facts(),
      prompted: parts.promptedPermissions,
      clock,
      messages: parts.messages,
    }),
    new UndoPolicy({ undo: parts.undo, manager, clock }),
    rules,
    compaction,
    new DatePolicy({ resources, clock, messages: parts.messages }),
    steering.policy,
    output,
    retry,
    fallback,
    ...(family ? [] : [todos]), // the list is the user's
    toolNewsPolicy({ tooling: parts.tooling, clock, conversation, messages: parts.messages }),
    jobsPolicy({ jobs: parts.jobs, onTurnedOn: () => parts.tooling.offerJobs(parts.jobs) }),
    subagentsPolicy({ delegation, renew: () => parts.tooling.renewDelegation() }),
    ...(family
      ? []
      : [
          leftWorktreesPolicy({
            isolation: parts.isolation,
            sessionFile: () => manager().sessionFile,
            clock,
            emit,
          }),
        ]),
    settlePolicy({ hooks, clock }),
  ];
  const policies = new RunPolicies(list, { manager, hooks, amend: (call, result) => rules.amend(call, result) });
  return { policies, budget, permissions, rules, compaction, steering, retry, output };
}
