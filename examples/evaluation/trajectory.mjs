// Describes a run as one object; README.md documents every field.

/** Listens to a client and collects what a trajectory needs. */
export class TrajectoryRecorder {
  #messages = [];
  #calls = new Map();
  #end;
  #sandbox;
  #started = Date.now();

  constructor(client) {
    client.on("message_end", ({ message }) => this.#messages.push(message));
    client.on("tool_execution_start", ({ toolCallId: id, toolName: name, args }) => {
      this.#calls.set(id, { id, name, arguments: args, startedMs: this.#elapsed() });
    });
    client.on("tool_execution_end", ({ toolCallId, isError }) => {
      const call = this.#calls.get(toolCallId);
      if (call) Object.assign(call, { durationMs: this.#elapsed() - call.startedMs, isError });
    });
    client.on("agent_end", (event) => {
      this.#end = event;
    });
    client.on("sandbox_status", ({ sandbox }) => {
      this.#sandbox = sandbox;
    });
  }

  /** `outcome` is the harness's name for how it ended, `error` the message if it failed. */
  finish({ task, ready, model, outcome, error, check }) {
    const answers = this.#messages.filter(({ role }) => role === "assistant");
    return {
      format: "pintle-trajectory",
      version: 1,
      task: { id: task.id, prompt: task.prompt },
      agent: { name: "pintle", version: ready?.version ?? null, sessionId: ready?.sessionId ?? null, model },
      limits: {
        deadlineMs: task.deadlineMs,
        budget: task.budget,
        permissions: task.permissions,
        sandbox: this.#sandbox ?? ready?.sandbox ?? null,
      },
      startedAt: new Date(this.#started).toISOString(),
      durationMs: this.#elapsed(),
      outcome,
      ...(this.#end && { stopReason: this.#end.stopReason }),
      ...(error !== undefined && { error }),
      messages: this.#messages,
      toolCalls: [...this.#calls.values()],
      usage: sumUsage(answers),
      ...(check && { check }),
    };
  }

  /** How the run itself ended, once `agent_end` has arrived. */
  get outcome() {
    if (!this.#end) return undefined;
    const { stopReason, endedBy } = this.#end;
    if (endedBy) return endedBy; // "budget" or "denied"
    return stopReason === "stop" ? "completed" : stopReason;
  }

  #elapsed() {
    return Date.now() - this.#started;
  }
}

function sumUsage(answers) {
  const sum = (pick) => answers.reduce((total, { usage }) => total + pick(usage), 0);
  return {
    modelCalls: answers.length,
    inputTokens: sum(({ input }) => input),
    outputTokens: sum(({ output }) => output),
    cacheReadTokens: sum(({ cacheRead }) => cacheRead),
    cacheWriteTokens: sum(({ cacheWrite }) => cacheWrite),
    costUsd: sum(({ cost }) => cost.total),
  };
}
