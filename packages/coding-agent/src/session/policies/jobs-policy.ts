import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import type { RunPolicy } from "./policy.ts";

export interface JobsPolicyParts {
  jobs: BackgroundJobs;
  /** Called when background jobs become available to the model. */
  onTurnedOn(): void;
}

/** Reports the results of background jobs in the active run, at the next turn boundary, or with the next prompt. */
export function jobsPolicy({ jobs, onTurnedOn }: JobsPolicyParts): RunPolicy {
  return {
    name: "jobs",
    prepare() {
      if (jobs.beginRun()) onTurnedOn();
    },
    onPrompt() {
      const report = jobs.report();
      return report ? { before: [report] } : {};
    },
    after(event) {
      if (event.type === "message_end") jobs.onMessage(event.message);
      if (event.type === "agent_end") jobs.onRunEnd(event.stopReason === "aborted");
    },
    next: async ({ state }) => {
      const report = state === "failed" ? undefined : jobs.report();
      return report && { kind: "turn", messages: [report] };
    },
    restore(cause) {
      if (cause !== "moved") jobs.restore();
    },
  };
}
