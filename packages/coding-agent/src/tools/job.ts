import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";

/** What a call of the tool does. */
export const JOB_ACTIONS = ["list", "read", "wait", "kill"] as const;

const parameters = () =>
  Type.Object({
    action: Type.Unsafe<(typeof JOB_ACTIONS)[number]>({ type: "string", enum: JOB_ACTIONS }),
    jobs: Type.Optional(Type.Array(Type.String(), { description: "ids; default all, except for kill" })),
    fromByte: Type.Optional(Type.Integer({ minimum: 0, description: "read: where to begin; default the end" })),
    timeout: Type.Optional(Type.Number({ description: "wait: seconds (default 60)" })),
  });

export const jobTool = declareTool({
  name: "job",
  label: "Job",
  description:
    "Background jobs: list them, read their output, wait until one ends, or kill them. Results are reported to you, so wait only if you cannot continue.",
  parameters,
  parameterNames: {
    aliases: {
      job_id: (value) => (typeof value === "string" ? { jobs: [value] } : undefined),
      id: (value) => (typeof value === "string" ? { jobs: [value] } : undefined),
      ids: "jobs",
      op: "action",
    },
  },
  needsJobs: true,
  polls: true,
  keepsOutput: true,
  unknownParameters: "refuse",
  load: () => import("./job/execute-job.ts"),
});

export type JobParameters = ReturnType<typeof parameters>;
