import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { ModelChoice } from "../config/models/model-pattern.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { BackgroundJobs } from "../jobs/background-jobs.ts";
import type { Previews } from "../previews/previews.ts";
import type { Child } from "../subagents/child.ts";
import { Delegation } from "../subagents/delegation.ts";
import type { Isolation } from "../subagents/isolation.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { RunTrace } from "../traces/run-trace.ts";
import type { AttachedHost } from "./attached-host.ts";
import type { OpenConversation } from "./conversation/open-conversation.ts";
import type { FamilyParts, OpenChild, ParentSession } from "./family.ts";
import type { ModelState } from "./models/model-state.ts";
import type { PolicyState } from "./permissions/policy-state.ts";
import type { BudgetPolicy } from "./policies/budget-policy.ts";
import type { RequestBase } from "./requests/request-base.ts";
import type { RunResults } from "./results/run-results.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

export interface SessionDelegationParts {
  family: FamilyParts | undefined;
  subagents: Subagents;
  settings: Settings;
  jobs: BackgroundJobs;
  requests: RequestBase;
  host: AttachedHost;
  hooks(): SessionHooks;
  results: RunResults;
  conversation: OpenConversation;
  policy: PolicyState;
  models: ModelState;
  previews: Previews;
  trace: RunTrace;
  ready(): Promise<void> | undefined;
  now(): number;
  newSpillPath(): Promise<string>;
  serverInstructions(): string;
  abortGraceMs(): number;
  beforeWrite(real: string): void;
  tools(): ToolRegistry;
  budget(): BudgetPolicy;
  /** Ends the active run after a denial; `why` is a clause. */
  endRun(why: string): void;
  openChild: OpenChild;
  agentModel(agent: AgentDefinition): { choice?: ModelChoice; warning?: string };
  isolation: Isolation | undefined;
  warn(text: string): void;
}

/** How much of its own time a session gives its subagents to end. */
const GRACE_SHARE = 0.8;
const STOPPED_BY_USER = "the user denied a call of a subagent and stopped the run";

/** Creates what the model of a session delegates with. */
export function createDelegation(parts: SessionDelegationParts): Delegation {
  const { family, subagents, settings, jobs, conversation, models, results, previews } = parts;
  const manager = () => conversation.manager;
  return new Delegation({
    subagents,
    own: family?.own,
    settings,
    jobs,
    now: parts.now,
    cwd: () => conversation.cwd,
    session: () => ({ id: manager().sessionId, file: manager().sessionFile }),
    toolNames: () =>
      parts
        .tools()
        .active()
        .map(({ name }) => name),
    hasOwnModel(agent) {
      const { choice } = parts.agentModel(agent);
      const { current, thinkingLevel } = models;
      const isSameModel = !choice || (choice.model.provider === current.provider && choice.model.id === current.id);
      const level = agent.thinkingLevel ?? choice?.thinkingLevel ?? thinkingLevel;
      return isSameModel && level === thinkingLevel;
    },
    opener(child) {
      const parent = parentOf(parts, child);
      return (request) => {
        const { warning } = parts.agentModel(request.agent);
        if (warning !== undefined) subagents.warnOnce(warning, parts.warn);
        return parts.openChild(request, parent);
      };
    },
    newSpillPath: parts.newSpillPath,
    isolation: parts.isolation,
    beforeWrite: parts.beforeWrite,
    stage: (action) => (family?.rootPreviews ?? previews).pushOwn(action),
    addResult: (result) => results.active?.addSubagent(result),
  });
}

function parentOf(parts: SessionDelegationParts, child: Child): ParentSession {
  const { family, requests, models, results, conversation } = parts;
  // A fork begins with the request that made the call, whatever follows in the conversation.
  const request = requests.newest;
  return {
    manager: () => conversation.manager,
    cwd: () => conversation.cwd,
    policy: parts.policy,
    host: parts.host,
    hooks: parts.hooks,
    ready: parts.ready,
    tools: parts.tools(),
    model: models.current,
    thinkingLevel: models.thinkingLevel,
    request: { ...request, cacheKey: conversation.manager.cacheKey },
    traceOf: (toolCallId) => parts.trace.headersOf(toolCallId),
    family: {
      subagents: parts.subagents,
      budget: family?.budget ?? parts.budget().forSubagent(),
      abortGraceMs: () => parts.abortGraceMs() * GRACE_SHARE,
      serverInstructions: parts.serverInstructions,
      rootPreviews: family?.rootPreviews ?? parts.previews,
      onDenial(denial) {
        const ofChild = { subagent: child.facts.id, ...denial };
        results.active?.addDenial(ofChild);
        family?.onDenial(ofChild);
      },
      onStop() {
        if (child.isDetached) return;
        family?.onStop();
        parts.endRun(STOPPED_BY_USER);
      },
      beforeWrite: parts.beforeWrite,
    },
  };
}
