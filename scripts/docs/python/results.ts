import { type JsonSchema, type Protocol, readProtocol, refName } from "@pintle/wire/schemas";
import { fieldsOf } from "../wire/schema-notation.ts";
import { partName, shapeIn } from "./frames.ts";
import { doc, moduleText, PythonTypes, snake } from "./types.ts";

// python/pintle/results.py: the results of calls, as frozen dataclasses.

export const PYTHON_RESULTS_PATH = "python/pintle/results.py";

const SUMMARY =
  "The results of calls. The fields of a response are attributes; nested values are as on the wire (pintle.protocol).";
const IMPORTS = ["from dataclasses import dataclass, field", "from . import protocol as p"];
const NOTHING = "def _nothing() -> Mapping[str, Any]:\n    return {}";

/** The result of a command's method: its type in Python, and how it is created from the data. */
export interface PythonResult {
  type: string;
  /** `data` is the data of the response. */
  make: string;
}

interface DataClass {
  name: string;
  place: string;
  schema: JsonSchema;
}

/** `name` is that of the response in the protocol, `data` its data. */
export function resultOf(name: string, data: JsonSchema | undefined, { types }: Protocol): PythonResult {
  if (!data) return { type: "None", make: "" };
  const dataClass = classOf(name, data, types);
  if (!dataClass) {
    const type = new PythonTypes("p.").type(data, partName(name, ""));
    return { type, make: `cast("${type.replaceAll('"', "'")}", data)` };
  }
  const full = `results.${dataClass.name}`;
  const isNullable = data.anyOf?.some(({ type }) => type === "null") ?? false;
  return isNullable
    ? { type: `Optional[${full}]`, make: `None if data is None else ${full}.from_json(data)` }
    : { type: full, make: `${full}.from_json(data)` };
}

export function renderPythonResults(): string {
  const protocol = readProtocol();
  const { responses, gateway, types } = protocol;
  const named = Object.entries(gateway.responses).map(([name, schema]) => [`Gateway${name}`, schema] as const);
  const classes = new Map<string, string>();
  for (const [name, schema] of [...Object.entries(responses), ...named]) {
    for (const data of resultsIn(schema)) {
      const dataClass = classOf(name, data, types);
      if (dataClass) classes.set(dataClass.name, classText(dataClass));
    }
  }
  return moduleText(SUMMARY, IMPORTS, [NOTHING, ...classes.values()]);
}

/** One, or one per form of the response. */
function resultsIn({ properties }: JsonSchema): readonly JsonSchema[] {
  const data = properties?.data;
  if (!data) return [];
  return data.anyOf?.every(({ $ref }) => $ref !== undefined) ? data.anyOf : [data];
}

/** Returns undefined if the response is not an object with known fields. */
function classOf(name: string, data: JsonSchema, types: Protocol["types"]): DataClass | undefined {
  const options = data.anyOf?.filter(({ type }) => type !== "null") ?? [data];
  if (options.length !== 1) return undefined;
  const [{ $ref, properties }] = options as [JsonSchema];
  if ($ref !== undefined) {
    const type = refName($ref);
    const schema = types[type];
    return schema?.properties ? { name: type, place: type, schema } : undefined;
  }
  if (!properties) return undefined;
  return { name: name.replace(/Response$/, "Result"), place: name, schema: shapeIn(data)! };
}

function classText({ name, place, schema }: DataClass): string {
  const python = new PythonTypes("p.");
  const fields = fieldsOf(schema).map(({ name: key, isOptional, schema: own }) => {
    const type = python.type(own, partName(place, key));
    const isNullable = type.startsWith("Optional[");
    return { key, own, isOptional, type: isOptional && !isNullable ? `Optional[${type}]` : type };
  });
  const inOrder = [...fields.filter((one) => !one.isOptional), ...fields.filter((one) => one.isOptional)];
  const lines = inOrder.map(
    ({ key, own, type, isOptional }) =>
      `${own.description ? `    # ${own.description}\n` : ""}    ${snake(key)}: ${type}${isOptional ? " = None" : ""}`,
  );
  const given = inOrder.map(({ key }) => `            ${snake(key)}=get("${key}"),`);
  return [
    "@dataclass(frozen=True)",
    `class ${name}:`,
    ...(schema.description ? [doc(schema.description), ""] : []),
    ...lines,
    "    # The data as received, including fields that this version does not know.",
    "    raw: Mapping[str, Any] = field(default_factory=_nothing, repr=False, compare=False)",
    "",
    "    @classmethod",
    `    def from_json(cls, data: Mapping[str, Any]) -> "${name}":`,
    "        get: Any = data.get  # other agents may omit fields",
    "        return cls(",
    ...given,
    "            raw=data,",
    "        )",
  ].join("\n");
}
