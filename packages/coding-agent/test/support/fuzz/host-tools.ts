import type { Random } from "./random.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

const GOOD_TOOLS = [
  { name: "echo_host", description: "Repeats", parameters: object({ message: { type: "string" } }) },
  { name: "MixedCase", label: "Mixed", description: "Counts", parameters: object({ count: { type: "integer" } }) },
  {
    name: "strict",
    description: "Wants a name",
    parameters: object({ name: { type: "string" } }, { required: ["name"] }),
  },
  { name: "impatient", description: "Waits a second", parameters: object({}), timeoutMs: 1000 },
  { name: "hidden_one", description: "Is not offered", parameters: object({}), hidden: true },
];

function nested(depth: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = object({ deeper: schema });
  return schema;
}

const BAD_TOOLS: unknown[] = [
  null,
  7,
  {},
  { name: " ", description: "d", parameters: {} },
  { name: "x", parameters: {} },
  { name: "x", description: "d", parameters: [] },
  { name: "x", description: "d", parameters: object({ a: { type: "nonsense" } }) },
  { name: "x", description: "d", parameters: { $ref: "#/nowhere" } },
  { name: "x", description: "d", parameters: object({ a: { type: "string", pattern: "(" } }) },
  { name: "resolve", description: "d", parameters: {} },
  { name: "__proto__", description: "d", parameters: object({}) },
  { name: "deep", description: "d", parameters: nested(300) },
  { name: "x", description: "d", parameters: object({}), timeoutMs: -1 },
];

export const TOOL_NAMES = [...GOOD_TOOLS.map(({ name }) => name), "no_such_tool", "bash", "ask", "constructor"];

/** Mostly valid ones, because without them no model call reaches the host. */
export function anyTools(random: Random): unknown[] {
  const good = GOOD_TOOLS.filter(() => random.chance(0.8));
  if (random.chance(0.7)) return good;
  return [...good, random.pick(BAD_TOOLS), ...(random.chance(0.3) ? good : [])];
}
