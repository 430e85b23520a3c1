import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ToolInvocation } from "@pintle/agent";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import { Child } from "./child.ts";
import { childDirectory, ID_PATTERN } from "./child-file.ts";
import type { ChildTask } from "./child-run.ts";
import type { ChildRequest, ChildSession } from "./child-session.ts";
import { childTools } from "./child-tools.ts";
import type { Delegation } from "./delegation.ts";
import { forkText } from "./fork-text.ts";
import type { TaskRequest } from "./read-tasks.ts";
import type { ChildReporter } from "./subagents.ts";

/** A task that can start. */
export interface PlannedTask {
  request: TaskRequest;
  child: Child;
  reporter: ChildReporter;
  task: ChildTask;
  isIsolated: boolean;
  open(request: ChildRequest): Promise<ChildSession>;
  /** The schema of its result, and who requires it. */
  required: RequiredOutput | undefined;
}

export interface RequiredOutput {
  source: "caller" | "agent";
  schema: CheckedOutputSchema;
  /** Whether the subagent finds the schema in its assignment, and answers with text. */
  isText: boolean;
}

/**
 * Determines the options of a task, and adds its subagent. If the task cannot start, throws the reason, for the model.
 */
export async function planTask(
  request: TaskRequest,
  { call, onProgress, isDetached }: { call: Pick<ToolInvocation, "id">; onProgress(): void; isDetached: boolean },
  delegation: Delegation,
): Promise<PlannedTask> {
  const { parts } = delegation;
  const required = await requiredOutput(request, agentOf(request, delegation).agent);
  // No await from here on, so that no two subagents get the same id or continue the same one.
  const { agent, earlier } = agentOf(request, delegation);
  if (earlier && request.fork) throw new Error("fork and resume cannot be combined. Omit one of them.");
  if (request.fork) requireSameHead(agent, delegation);
  const isIsolated =
    request.isolation !== undefined ||
    agent.isolation !== undefined ||
    parts.settings.get("task.isolation.mode") !== "none";
  if (isIsolated && !parts.isolation) {
    throw new Error(`isolation "worktree" is not available in this session, and the task does not run without it.`);
  }
  const mayDelegate = delegation.isBelowLimit(delegation.depth + 1) && (agent.spawns?.length ?? 0) > 0;
  const ofParent = parts.toolNames();
  const tools = childTools(agent, ofParent, mayDelegate);
  const message = [request.context, request.task].filter((part) => part !== undefined).join("\n\n");
  const missing = ofParent.filter((name) => !tools.includes(name));
  const schema = required?.schema.schema;
  const child = new Child(
    {
      id: request.resume ?? freeId(request.name ?? idOf(agent), delegation),
      index: request.index,
      agent: agent.name,
      agentSource: agent.source,
      description: request.description,
      task: message,
      assignment: request.task,
      parentToolCallId: call.id,
      ...(parts.own && { parentId: parts.own.child.facts.id }),
      depth: delegation.depth + 1,
      place: delegation.placeOf(call.id, request.index),
    },
    parts.now,
  );
  child.isDetached = isDetached;
  const from = earlier?.from ?? (request.fork ? "parent" : "nothing");
  return {
    request,
    child,
    reporter: parts.subagents.add(child, onProgress),
    task: {
      request: { child, agent, tools, from, outputSchema: schema },
      text: request.fork ? forkText(agent, message, schema, missing) : message,
      schema: required?.isText ? undefined : required?.schema,
    },
    isIsolated,
    open: parts.opener(child),
    required,
  };
}

/** Returns the definition that a task names, or that of the subagent that it continues. */
function agentOf(
  request: TaskRequest,
  delegation: Delegation,
): { agent: AgentDefinition; earlier: EarlierRun | undefined } {
  const earlier = request.resume === undefined ? undefined : findFinished(request.resume, delegation);
  return { agent: findAgent(earlier?.agent ?? request.agent ?? "task", delegation), earlier };
}

function findAgent(name: string, delegation: Delegation): AgentDefinition {
  const offered = delegation.agents();
  const found = delegation.parts.subagents.agents?.find(name);
  if (found && offered.includes(found)) return found;
  throw new Error(`Unknown agent "${name}". The agents are: ${offered.map((agent) => agent.name).join(", ")}.`);
}

interface EarlierRun {
  agent: string;
  from: ChildRequest["from"];
}

/** Finds a finished subagent that this session has started, even in an earlier process. */
function findFinished(id: string, { parts }: Delegation): EarlierRun {
  const { subagents, own, jobs, rootFile } = { ...parts, rootFile: parts.subagents.rootFile };
  const refuse = (why: string) => new Error(`"${id}" cannot be resumed: ${why}.`);
  if (id === own?.child.facts.id) throw refuse("it is you");
  const stored = jobs.storedTask(id);
  if (jobs.isUnreported(id)) throw refuse("its result has not reached you yet");
  if (subagents.has(id)) {
    const { facts, isRunning, session } = subagents.find(id);
    if (isRunning) throw refuse("it is still running");
    if (facts.parentId !== own?.child.facts.id) throw refuse("another session has started it");
    if (!session) throw refuse("it never began");
    const { sessionFile } = session;
    return { agent: facts.agent, from: sessionFile === undefined ? { memory: session } : { file: sessionFile } };
  }
  if (!stored || !ID_PATTERN.test(id)) throw refuse("this session has not started a subagent with this id");
  const file = rootFile === undefined ? undefined : join(childDirectory(rootFile), `${id}.jsonl`);
  if (file === undefined || !existsSync(file)) throw refuse("it has stored nothing");
  return { agent: stored.agent ?? "task", from: { file } };
}

/** A fork has the same tools and model as its parent, so that the provider finds the conversation in its cache. */
function requireSameHead(agent: AgentDefinition, { parts }: Delegation): void {
  if (agent.tools || agent.disallowedTools) {
    throw new Error(`A fork uses the tools of its parent, but the agent "${agent.name}" defines its own. Omit fork.`);
  }
  if (!parts.hasOwnModel(agent)) {
    throw new Error(`A fork uses the model of its parent, but the agent "${agent.name}" defines its own. Omit fork.`);
  }
}

async function requiredOutput(
  { schema, fork }: TaskRequest,
  { name, output }: AgentDefinition,
): Promise<RequiredOutput | undefined> {
  if (schema) return { source: "caller", schema, isText: fork };
  if (!output) return undefined;
  const { checkOutputSchema, OutputSchemaError } = await import("../schemas/output-schema.ts");
  try {
    return { source: "agent", schema: checkOutputSchema(output), isText: fork };
  } catch (error) {
    if (!(error instanceof OutputSchemaError)) throw error;
    throw new Error(`The definition of the agent "${name}" has an output schema that cannot be used: ${error.message}`);
  }
}

const idOf = ({ name }: AgentDefinition) => `${name.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40)}-1`;
const MAX_ID = 48;
/** Background commands have ids of this form, and a background subagent keeps its own id. */
const OF_COMMANDS = /^bg_\d+$/i;

/** Returns the id, with a higher number appended if it has been used in the family. */
function freeId(wanted: string, { parts }: Delegation): string {
  const { subagents, jobs } = parts;
  const { rootFile } = subagents;
  const isTaken = (id: string) =>
    subagents.has(id) ||
    OF_COMMANDS.test(id) ||
    jobs.storedTask(id) !== undefined ||
    (rootFile !== undefined && existsSync(join(childDirectory(rootFile), `${id}.jsonl`)));
  const [, stem = wanted, end = "1"] = /^(.*?)-(\d{1,9})$/.exec(wanted) ?? [];
  let id = wanted;
  for (let number = Number(end) + 1; isTaken(id); number += 1) {
    const suffix = `-${number}`;
    id = `${stem.slice(0, MAX_ID - suffix.length)}${suffix}`;
  }
  return id;
}
