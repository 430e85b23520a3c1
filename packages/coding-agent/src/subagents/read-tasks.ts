import { isRecord } from "@pintle/ai";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import type { SchemaMode } from "../tools/task/task-details.ts";
import { ID_PATTERN } from "./child-file.ts";

/** One task of a call, as the model wrote it. */
export interface TaskRequest {
  index: number;
  task: string;
  context: string | undefined;
  description: string | undefined;
  agent: string | undefined;
  name: string | undefined;
  fork: boolean;
  isolation: "worktree" | undefined;
  schema: CheckedOutputSchema | undefined;
  schemaMode: SchemaMode;
  resume: string | undefined;
}

const MAX_TASKS = 32;
const MAX_BYTES = 256 * 1024;
const MAX_DESCRIPTION = 200;

/** Reads the arguments of a call, which match the schema of the tool. Throws an error for the model. */
export async function readTasks(args: Readonly<Record<string, unknown>>): Promise<TaskRequest[]> {
  const { context, tasks } = args;
  const list: readonly unknown[] = Array.isArray(tasks) ? tasks : [];
  if (list.length === 0 || list.length > MAX_TASKS) {
    throw new Error(`task takes 1 to ${MAX_TASKS} tasks in one call, not ${list.length}. No subagent was started.`);
  }
  const shared = typeof context === "string" && context.trim() !== "" ? context : undefined;
  requireSize("context", shared ?? "");
  return Promise.all(list.map((item, index) => readTask(isRecord(item) ? item : {}, index, shared)));
}

async function readTask(
  item: Record<string, unknown>,
  index: number,
  context: string | undefined,
): Promise<TaskRequest> {
  const at = `tasks[${index}]`;
  const task = textOf(item.task);
  if (task === undefined)
    throw new Error(`${at}.task is empty: describe the whole assignment. No subagent was started.`);
  requireSize(`${at}.task`, task);
  const name = textOf(item.name);
  if (name !== undefined && !ID_PATTERN.test(name)) {
    throw new Error(`${at}.name must have 1 to 48 letters, digits, "_" or "-". No subagent was started.`);
  }
  const { isolation } = item;
  if (isolation !== undefined && isolation !== null && isolation !== "worktree" && isolation !== "none") {
    throw new Error(`${at}.isolation must be "worktree" or absent. No subagent was started.`);
  }
  return {
    index,
    task,
    context,
    description: textOf(item.description)?.replace(/\s+/g, " ").slice(0, MAX_DESCRIPTION),
    agent: textOf(item.agent),
    name,
    fork: item.fork === true,
    isolation: isolation === "worktree" ? "worktree" : undefined,
    schema: await readSchema(item.outputSchema, at),
    schemaMode: item.schemaMode === "strict" ? "strict" : "permissive",
    resume: textOf(item.resume),
  };
}

async function readSchema(schema: unknown, at: string): Promise<CheckedOutputSchema | undefined> {
  if (schema === undefined || schema === null) return undefined;
  const { checkOutputSchema, OutputSchemaError } = await import("../schemas/output-schema.ts");
  try {
    return checkOutputSchema(schema);
  } catch (error) {
    if (!(error instanceof OutputSchemaError)) throw error;
    throw new Error(`${at}.outputSchema cannot be used: ${error.message}. No subagent was started.`);
  }
}

function requireSize(name: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new Error(
      `${name} must not be larger than ${MAX_BYTES / 1024} KB. No subagent was started: write it to a file and name the file.`,
    );
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
