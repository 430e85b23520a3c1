import type {
  AutoCompactionStartEvent,
  AutoRetryStartEvent,
  ContextUsage,
  Interruption,
  Model,
  PermissionMode,
  Queue,
  RpcEvent,
  RpcSessionState,
  SandboxStatus,
  ThinkingLevel,
  TodoPhase,
} from "@pintle/client/core";
import { Cell } from "./cell.ts";

/** What a session is doing. */
export interface Activity {
  /** A prompt was accepted and is not finished yet. */
  isRunning: boolean;
  compaction?: Pick<AutoCompactionStartEvent, "reason"> | { reason: "manual" };
  /** The next attempt of a failed model call, made at the time `at`. */
  retry?: AutoRetryStartEvent & { at: number };
}

/** The cost of the open branch in USD, and how full the context is. */
export interface Figures {
  cost: number;
  context?: ContextUsage;
}

const IDLE: Activity = { isRunning: false };
const NO_QUEUE: Queue = { steering: [], followUp: [] };

/** The state of a session besides its conversation: one cell per fact, updated by the session's events. */
export class SessionFacts {
  readonly name = new Cell<string | undefined>(undefined);
  readonly model = new Cell<Model | undefined>(undefined);
  readonly thinkingLevel = new Cell<ThinkingLevel>("off");
  readonly permissionMode = new Cell<PermissionMode>("ask");
  readonly sandbox = new Cell<SandboxStatus | undefined>(undefined);
  readonly activity = new Cell<Activity>(IDLE);
  readonly queue = new Cell<Queue>(NO_QUEUE);
  readonly todos = new Cell<readonly TodoPhase[]>([]);
  readonly interrupted = new Cell<Interruption | undefined>(undefined);
  readonly figures = new Cell<Figures>({ cost: 0 });
  /** The path on the server; undefined if nothing is stored. */
  readonly file = new Cell<string | undefined>(undefined);

  /** The whole state, from a snapshot or a response. */
  take(state: RpcSessionState): void {
    this.name.set(state.sessionName);
    this.model.set(state.model);
    this.thinkingLevel.set(state.thinkingLevel);
    this.permissionMode.set(state.permissionMode);
    this.sandbox.set(state.sandbox);
    this.queue.set(state.queue ?? NO_QUEUE);
    this.todos.set(state.todoPhases);
    this.interrupted.set(state.interrupted);
    this.file.set(state.sessionFile);
    this.activity.set({
      isRunning: !state.isSettled,
      ...(state.isCompacting && { compaction: this.activity.value.compaction ?? { reason: "manual" } }),
    });
    if (state.contextUsage) this.figures.set({ ...this.figures.value, context: state.contextUsage });
  }

  apply(event: RpcEvent): void {
    const change = CHANGES[event.type] as ((facts: SessionFacts, event: RpcEvent) => void) | undefined;
    change?.(this, event);
  }

  /** Facts that are not named keep their value; undefined removes one. */
  changeActivity(change: { [K in keyof Activity]?: Activity[K] | undefined }): void {
    const { compaction, retry, isRunning } = { ...this.activity.value, ...change };
    this.activity.set({ isRunning: isRunning ?? false, ...(compaction && { compaction }), ...(retry && { retry }) });
  }
}

type Changes = { [T in RpcEvent["type"]]?: (facts: SessionFacts, event: Extract<RpcEvent, { type: T }>) => void };

const CHANGES: Changes = {
  session_snapshot: (facts, { state }) => facts.take(state),
  session_info_changed: (facts, { name, sessionFile }) => {
    facts.name.set(name);
    facts.file.set(sessionFile);
  },
  model_changed: (facts, { model }) => facts.model.set(model),
  thinking_level_changed: (facts, { level }) => facts.thinkingLevel.set(level),
  permission_mode_changed: (facts, { mode }) => facts.permissionMode.set(mode),
  sandbox_status: (facts, { sandbox }) => facts.sandbox.set(sandbox),
  queue_update: (facts, { type: _type, ...queue }) => facts.queue.set(queue),
  todo_auto_clear: (facts) => facts.todos.set([]),
  agent_start: (facts) => {
    facts.interrupted.set(undefined);
    facts.changeActivity({ isRunning: true });
  },
  agent_settled: (facts) => facts.activity.set(IDLE),
  session_settled: (facts) => facts.activity.set(IDLE),
  worker_exited: (facts) => {
    facts.activity.set(IDLE);
    facts.queue.set(NO_QUEUE);
  },
  auto_retry_start: (facts, event) => facts.changeActivity({ retry: { ...event, at: Date.now() + event.delayMs } }),
  auto_retry_end: (facts) => facts.changeActivity({ retry: undefined }),
  auto_compaction_start: (facts, { reason }) => facts.changeActivity({ compaction: { reason } }),
  auto_compaction_end: (facts) => facts.changeActivity({ compaction: undefined }),
  tool_execution_end: (facts, { toolName, result }) => {
    const { phases } = (result.details ?? {}) as { phases?: TodoPhase[] };
    if (/^todo/.test(toolName) && Array.isArray(phases)) facts.todos.set(phases);
  },
};
