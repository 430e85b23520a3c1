// What a reader of ATIF 1.7 requires: known keys only, steps counted from one, agent fields on agent steps, results
// that name a call of their own step.
const KEYS = {
  root: "schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories",
  agent: "name version model_name tool_definitions extra",
  step: "step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra",
  call: "tool_call_id function_name arguments extra",
  result: "source_call_id content subagent_trajectory_ref extra",
  metrics:
    "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
  final: "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
};
const AGENT_ONLY = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Empty if it is valid. */
export function atifErrors(trajectory) {
  const errors = [];
  const expect = (holds, text) => holds || errors.push(text);
  const known = (value, kind, where) => {
    const keys = new Set(KEYS[kind].split(" "));
    for (const key of Object.keys(value ?? {})) expect(keys.has(key), `${where}.${key} is unknown`);
  };
  known(trajectory, "root", "root");
  known(trajectory.agent, "agent", "agent");
  known(trajectory.final_metrics, "final", "final_metrics");
  expect(trajectory.schema_version === "ATIF-v1.7", "schema_version");
  for (const key of ["name", "version"]) expect(typeof trajectory.agent?.[key] === "string", `agent.${key}`);
  expect(trajectory.steps?.length > 0, "no steps");
  for (const [index, step] of (trajectory.steps ?? []).entries()) {
    const where = `steps[${index}]`;
    known(step, "step", where);
    known(step.metrics, "metrics", `${where}.metrics`);
    expect(step.step_id === index + 1, `${where}.step_id`);
    expect(["system", "user", "agent"].includes(step.source), `${where}.source`);
    expect(step.timestamp === undefined || !Number.isNaN(Date.parse(step.timestamp)), `${where}.timestamp`);
    if (step.source !== "agent")
      for (const key of AGENT_ONLY) expect(!(key in step), `${where}.${key} on ${step.source}`);
    expect(isContent(step.message), `${where}.message`);
    for (const key of ["prompt_tokens", "completion_tokens", "cached_tokens"]) {
      expect(step.metrics?.[key] === undefined || Number.isInteger(step.metrics[key]), `${where}.metrics.${key}`);
    }
    for (const call of step.tool_calls ?? []) {
      known(call, "call", `${where}.tool_calls`);
      expect(call.arguments !== null && typeof call.arguments === "object", `${where}: arguments`);
    }
    const ids = new Set((step.tool_calls ?? []).map(({ tool_call_id: id }) => id));
    for (const result of step.observation?.results ?? []) {
      known(result, "result", `${where}.observation`);
      expect(ids.has(result.source_call_id), `${where}: no call ${result.source_call_id}`);
      expect(isContent(result.content), `${where}: content of ${result.source_call_id}`);
    }
  }
  return errors;
}

const isContent = (content) => typeof content === "string" || (Array.isArray(content) && content.every(isPart));

function isPart({ type, text, source }) {
  if (type === "text") return typeof text === "string" && source === undefined;
  return type === "image" && text === undefined && IMAGE_TYPES.includes(source?.media_type) && source.path !== "";
}
