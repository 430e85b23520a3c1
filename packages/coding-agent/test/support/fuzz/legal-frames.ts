import { type CommandName, commands } from "@pintle/wire";
import { anyTools } from "./host-tools.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Random } from "./random.ts";
import { anyShellCommand, anyText } from "./texts.ts";

/** The kinds of schema that the table of commands uses. */
interface FieldSchema {
  type?: string;
  const?: unknown;
  anyOf?: FieldSchema[];
  items?: FieldSchema;
  properties?: Record<string, FieldSchema>;
  required?: string[] | undefined;
  pattern?: string;
  not?: object;
}

interface Source {
  random: Random;
  knowledge: Knowledge;
  /** A string that occurs in no other frame. */
  mark: string;
}

/** Fields whose type alone would rarely produce a useful value. */
const PLAUSIBLE: Record<string, (source: Source) => unknown> = {
  message: ({ random, mark }) => (random.chance(0.97) ? `${mark} ${anyText(random)}` : ""),
  command: ({ random }) => anyShellCommand(random),
  tools: ({ random }) => anyTools(random),
  provider: ({ random }) => random.pick(["local", "pintle", "openai", "nobody"]),
  modelId: ({ random }) => random.pick(["m", "thinker", "offline", "nothing"]),
  limit: ({ random }) => random.pick([1, 2, 100, 256, 0, 257, -1]),
  outputPath: ({ random }) => random.pick(["page.html", "no/such/directory/page.html", "."]),
  data: ({ random }) => random.pick(["AAAA", "iVBORw0KGgo=", "", "not base64!"]),
  mimeType: ({ random }) => random.pick(["image/png", "image/webp", "text/plain"]),
  sessionPath: fromFrames("sessionPath"),
  parentSession: fromFrames("sessionPath"),
  entryId: fromFrames("entryId"),
  since: fromFrames("entryId"),
  cursor: fromFrames("cursor"),
  actionId: fromFrames("actionId"),
};

function fromFrames(kind: string): (source: Source) => unknown {
  return ({ random, knowledge }) => knowledge.pick(kind, random) ?? anyText(random);
}

function anyValue(schema: FieldSchema, name: string, source: Source): unknown {
  const { random } = source;
  const plausible = PLAUSIBLE[name];
  if (plausible && random.chance(name === "command" ? 1 : 0.9)) return plausible(source);
  if (schema.anyOf) return anyValue(random.pick(schema.anyOf), "", source);
  if (schema.const !== undefined) return schema.const;
  if (schema.type === "boolean") return random.chance(0.5);
  if (schema.type === "integer") return random.int(300) - 10;
  if (schema.type === "array") return Array.from({ length: random.int(3) }, () => itemOf(schema.items, source));
  if (schema.type === "object") return objectOf(schema, source);
  return anyText(random);
}

function itemOf(schema: FieldSchema | undefined, source: Source): unknown {
  if (schema) return anyValue(schema, "", source);
  return source.random.pick([null, {}, { name: "phase", tasks: [{ content: "task" }] }, "text"]);
}

function objectOf({ properties = {}, required = [] }: FieldSchema, source: Source): Record<string, unknown> {
  const isGiven = (name: string) => required.includes(name) || source.random.chance(0.3);
  const entries = Object.entries(properties).filter(([name, schema]) => isGiven(name) && !schema.not);
  return Object.fromEntries(
    entries.map(([name, schema]) => {
      const isUnset = !required.includes(name) && source.random.chance(0.2);
      return [name, isUnset ? null : anyValue(schema, name, source)];
    }),
  );
}

const NAMES = Object.keys(commands) as CommandName[];
/** Commands that cause work are chosen more often than reads. */
const LIKELY: CommandName[] = [
  "prompt",
  "prompt",
  "prompt",
  "steer",
  "follow_up",
  "bash",
  "set_host_tools",
  "abort_bash",
];

/** Excludes commands that hide a part of the stream, because the whole stream is checked. */
const FILTERS = [null, ["*"], ["*", "entry_appended", "message_appended", "bash_execution_update"]];

/** Returns any command of the table, with fields that match its schema. */
export function legalCommand(source: Source): Record<string, unknown> {
  const type = source.random.pick(source.random.chance(0.35) ? LIKELY : NAMES);
  if (type === "set_event_filter") return { type, events: source.random.pick(FILTERS) };
  return { type, ...objectOf(commands[type].params() as FieldSchema, source) };
}
