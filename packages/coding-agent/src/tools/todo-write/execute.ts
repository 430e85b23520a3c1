import type { ToolImplementation } from "../define-tool.ts";
import type { TodoWriteContext, TodoWriteDetails, todoWriteParameters } from "../todo-write.ts";
import { describeTodos } from "./describe-todos.ts";

type Parameters = ReturnType<typeof todoWriteParameters>;

export const todoWrite: ToolImplementation<Parameters, TodoWriteDetails, TodoWriteContext> = {
  async execute({ ops }, _call, { todos, storage }) {
    const { phases, errors } = todos.applyOps(ops);
    return {
      content: [{ type: "text", text: describeTodos(phases, errors) }],
      details: { phases, storage: storage() },
    };
  },
};
