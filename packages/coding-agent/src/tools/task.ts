import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { cutText } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { SchemaMode, TaskDetails } from "./task/task-details.ts";

/** Starts subagents for the model of a session. */
export interface Delegation {
  /** Whether the session may have subagents. */
  readonly isAllowed: boolean;
  /** The agents that the session may start. */
  agents(): readonly { name: string; description: string }[];
  /** Throws an error for the model if no subagent was started. */
  run(args: Readonly<Record<string, unknown>>, call: ToolInvocation): Promise<ToolResult<TaskDetails>>;
}

export interface TaskContext {
  readonly delegation?: Delegation | undefined;
  readonly jobs?: object | undefined;
}

const text = (description: string) => Type.Optional(Type.String({ description }));

const parameters = ({ jobs }: TaskContext) =>
  Type.Object({
    context: text("background for all tasks"),
    tasks: Type.Array(
      Type.Object({
        task: Type.String({ description: "the whole assignment" }),
        description: text("one line for the user"),
        agent: text("type; default task"),
        name: text("id [A-Za-z0-9_-]; default generated"),
        fork: Type.Optional(Type.Boolean({ description: "start with this conversation" })),
        isolation: Type.Optional(Type.Unsafe<"worktree">({ type: "string", enum: ["worktree"] })),
        outputSchema: Type.Optional(Type.Unsafe<object>({ type: "object", description: "JSON Schema of the result" })),
        schemaMode: Type.Optional(Type.Unsafe<SchemaMode>({ type: "string", enum: ["permissive", "strict"] })),
        resume: text("id of a finished subagent; task is its next message"),
      }),
      { minItems: 1, maxItems: 32 },
    ),
    ...(jobs && { async: Type.Optional(Type.Boolean({ description: "return at once; results are reported to you" })) }),
  });

const DESCRIPTION =
  "Delegate to subagents, all in parallel: independent research, reviews, or changes in separate files. Do small or dependent steps yourself. A subagent sees only context and task, not this conversation, so name files, constraints and the answer you expect. Only its final answer returns: verify its claims. Agents:";
const MAX_AGENT_BYTES = 120;

/** The maximum size of one agent's description in every request. */
function agentLine({ name, description }: { name: string; description: string }): string {
  const line = `\n- ${name}: ${description.replace(/\s+/g, " ")}`;
  let length = Math.min(line.length, MAX_AGENT_BYTES);
  let cut = line;
  while (Buffer.byteLength(JSON.stringify(cut)) - 2 > MAX_AGENT_BYTES) {
    cut = cutText(line, length);
    length -= 1;
  }
  return cut;
}

export const taskTool = declareTool<ReturnType<typeof parameters>, TaskDetails, TaskContext>({
  name: "task",
  label: "Task",
  description: DESCRIPTION,
  describe: ({ delegation }) => `${DESCRIPTION}${(delegation?.agents() ?? []).map(agentLine).join("")}`,
  parameters,
  aliases: ["agent", "subagent", "dispatch_agent", "spawn_agent", "new_task"],
  parameterNames: {
    // A call with one task may have its fields at the top level.
    accepted: [
      "task",
      "description",
      "agent",
      "name",
      "fork",
      "isolation",
      "outputSchema",
      "schemaMode",
      "resume",
      "async",
    ],
    aliases: { ...aliases(), run_in_background: "async" },
    items: { tasks: { aliases: aliases() } },
  },
  prepareArguments: withTasks,
  needsDelegation: true,
  keepsOutput: true,
  unknownParameters: "refuse",
  load: () => import("./task/execute-task.ts"),
});

function aliases() {
  return {
    assignment: "task",
    prompt: "task",
    subagent_type: "agent",
    agent_type: "agent",
    id: "name",
    isolated: (value: unknown) =>
      value === true ? { isolation: "worktree" } : value === false ? ({} as Record<string, unknown>) : undefined,
  };
}

/** Moves the fields of a single task into a list. */
function withTasks(args: Record<string, unknown>): Record<string, unknown> {
  if (args.tasks !== undefined && args.tasks !== null) return args;
  const { context, tasks: _, async, ...task } = args;
  return {
    ...(context !== undefined && { context }),
    tasks: [task],
    ...(async !== undefined && { async }),
  };
}
