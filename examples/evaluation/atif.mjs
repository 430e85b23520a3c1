// Converts a trajectory to ATIF, the Agent Trajectory Interchange Format of Harbor, version 1.7: steps of the user, the
// system and the agent; tool results are part of the step that called the tool. `node atif.mjs FILE.json [OUT.json]`
// converts one.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** ATIF stores images in files: the ones to write are returned next to the trajectory, as base64. */
export function toAtif(source, { imageDirectory = "images" } = {}) {
  if (source?.format !== "pintle-trajectory" || source.version !== 1) {
    throw new Error("Not a trajectory of this program: format and version are missing or unknown");
  }
  const images = [];
  const keepImage = ({ data, mimeType }) => {
    const path = `${imageDirectory}/${images.length + 1}.${mimeType.split("/")[1]}`;
    images.push({ path, data });
    return { type: "image", source: { media_type: mimeType, path } };
  };
  const { steps } = source.messages.reduce((state, message) => addMessage(state, message, keepImage), {
    steps: [],
    callers: new Map(),
  });
  const { usage } = source;
  const trajectory = {
    schema_version: "ATIF-v1.7",
    session_id: source.agent.sessionId ?? source.task.id,
    agent: {
      name: source.agent.name,
      version: source.agent.version ?? "unknown",
      ...(source.agent.model && { model_name: source.agent.model }),
    },
    // A run that never started has the task's prompt as its only step, because the format requires at least one.
    steps: (steps.length > 0 ? steps : [{ source: "user", message: source.task.prompt }]).map((step, index) => ({
      step_id: index + 1,
      ...step,
    })),
    final_metrics: {
      total_prompt_tokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
      total_completion_tokens: usage.outputTokens,
      total_cached_tokens: usage.cacheReadTokens,
      total_cost_usd: usage.costUsd,
      total_steps: Math.max(steps.length, 1),
      extra: { duration_ms: source.durationMs, model_calls: usage.modelCalls },
    },
    extra: {
      task: source.task.id,
      outcome: source.outcome,
      ...(source.error !== undefined && { error: source.error }),
      ...(source.check && { check: source.check }),
      limits: source.limits,
      tool_calls: source.toolCalls.map(({ id, startedMs, durationMs, isError }) => ({
        tool_call_id: id,
        started_ms: startedMs,
        ...(durationMs !== undefined && { duration_ms: durationMs, is_error: isError }),
      })),
    },
  };
  return { trajectory, images };
}

/** `callers` finds the step to which a tool's result belongs. */
function addMessage(state, message, keepImage) {
  const { steps, callers } = state;
  if (message.role === "assistant") {
    const step = agentStep(message);
    steps.push(step);
    for (const { tool_call_id: id } of step.tool_calls ?? []) callers.set(id, step);
  } else if (message.role === "toolResult") {
    const step = callers.get(message.toolCallId);
    if (!step) return state; // its call is not part of this run
    step.observation ??= { results: [] };
    step.observation.results.push({
      source_call_id: message.toolCallId,
      content: contentOf(message.content, keepImage),
    });
  } else {
    // What neither the user typed nor the model answered (notes, reminders, summaries) was inserted by the program.
    const source = message.role === "user" && !message.synthetic ? "user" : "system";
    const content = message.content ?? message.summary ?? message.output ?? "";
    steps.push({ timestamp: isoTime(message.timestamp), source, message: contentOf(content, keepImage) });
  }
  return state;
}

function agentStep({ content, model, provider, usage, timestamp, stopReason, errorMessage, ttft, duration }) {
  const ofType = (type) => content.filter((block) => block.type === type);
  const thinking = ofType("thinking")
    .map((block) => block.thinking)
    .join("\n");
  const calls = ofType("toolCall");
  const { input, output, cacheRead, cacheWrite, cost } = usage;
  return {
    timestamp: isoTime(timestamp),
    source: "agent",
    model_name: `${provider}/${model}`,
    message: ofType("text")
      .map(({ text }) => text)
      .join("\n"),
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: args }) => ({
        tool_call_id: id,
        function_name: name,
        arguments: args,
      })),
    }),
    metrics: {
      prompt_tokens: input + cacheRead + cacheWrite,
      completion_tokens: output,
      cached_tokens: cacheRead,
      cost_usd: cost.total,
    },
    extra: {
      stop_reason: stopReason,
      ...(errorMessage !== undefined && { error: errorMessage }),
      ...(ttft !== undefined && { ttft_ms: ttft }),
      ...(duration !== undefined && { duration_ms: duration }),
    },
  };
}

const isoTime = (timestamp) => new Date(timestamp).toISOString();

/** Text alone is a string, anything with an image is a list of parts. */
function contentOf(content, keepImage) {
  if (typeof content === "string") return content;
  const blocks = content.filter(({ type }) => type === "text" || type === "image");
  if (blocks.every(({ type }) => type === "text")) return blocks.map(({ text }) => text).join("\n");
  return blocks.map((block) => (block.type === "text" ? { type: "text", text: block.text } : keepImage(block)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, out = file?.replace(/(\.json)?$/, ".atif.json")] = process.argv.slice(2);
  if (file === undefined) {
    console.error("usage: node atif.mjs TRAJECTORY.json [OUT.json]");
    process.exit(2);
  }
  const { trajectory, images } = toAtif(JSON.parse(readFileSync(file, "utf8")));
  writeFileSync(out, `${JSON.stringify(trajectory, null, 2)}\n`);
  for (const { path, data } of images) {
    const target = join(dirname(out), path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, data, "base64");
  }
}
