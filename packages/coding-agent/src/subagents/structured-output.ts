import type { StructuredOutput } from "../tools/task/task-details.ts";
import type { ChildOutcome } from "./child-run.ts";
import type { PlannedTask } from "./plan-task.ts";

/** Validates the result of a task with a schema; returns undefined for other tasks. */
export async function structuredOutput(
  { required, request }: Pick<PlannedTask, "required" | "request">,
  { result, error }: ChildOutcome,
): Promise<StructuredOutput | undefined> {
  if (!required) return undefined;
  const about = { source: required.source, mode: request.schemaMode };
  if (result?.output !== undefined) return { ...about, status: "valid", data: result.output };
  if (result?.endedBy === "output") {
    return {
      ...about,
      status: "invalid",
      ...("rejectedOutput" in result && { data: result.rejectedOutput }),
      ...(result.error && { error: result.error.message }),
    };
  }
  if (!required.isText || result?.status !== "completed") {
    return { ...about, status: "unavailable", ...(error !== undefined && { error }) };
  }
  const { readPlainOutput } = await import("@pintle/agent/output");
  const reading = readPlainOutput(result.text ?? "", required.schema.checked);
  if (reading.kind === "valid") return { ...about, status: "valid", data: reading.value };
  const [violation] = reading.errors;
  return {
    ...about,
    status: "invalid",
    ...("value" in reading && { data: reading.value }),
    ...(violation && { error: `${violation.path || "The value"} ${violation.message}` }),
  };
}
