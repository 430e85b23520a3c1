import { type JsonSchema, readProtocol } from "@pintle/wire/schemas";
import { type ClientQuestion, clientQuestions } from "../wire/client-questions.ts";
import { moduleText, PythonTypes, snake } from "./types.ts";

// python/pintle/protocol.py: the content of frames, as TypedDicts.

export const PYTHON_FRAMES_PATH = "python/pintle/protocol.py";

const SUMMARY = "The frames of the wire. A newer server may send further keys and types.";

export function renderPythonFrames(): string {
  const { types, agentEvents, sessionEvents, serverFrames, hostFrames, responses, gateway, commands } = readProtocol();
  const { TrustResolved, ...questions } = serverFrames;
  const events = { ...agentEvents, ...sessionEvents, TrustResolvedEvent: TrustResolved!, ...gateway.events };
  const frames = {
    ...questions,
    ...hostFrames,
    FailureResponse: responses.FailureResponse!,
    ServerReady: gateway.ready,
    SessionFrame: gateway.sessionFrame,
  };
  const python = new PythonTypes();
  for (const [name, schema] of Object.entries({ ...types, ...events, ...frames })) python.declare(name, schema);
  // Parts of parameters and results without a name of their own.
  for (const [name, { properties = {} }] of Object.entries(commands)) parts(python, name, properties);
  for (const [name, { properties = {} }] of Object.entries(gateway.commands))
    parts(python, `Gateway${name}`, properties);
  for (const [name, schema] of Object.entries(responses)) parts(python, name, dataOf(schema));
  for (const [name, schema] of Object.entries(gateway.responses)) parts(python, `Gateway${name}`, dataOf(schema));
  const union = Object.keys(events).map((name) => `    ${name},`);
  const all = `# What happens, told apart by "type".\nEvent = Union[\n${union.join("\n")}\n]`;
  return moduleText(SUMMARY, [], [...python.declarations(), all, questionTable()]);
}

function questionTable(): string {
  const rows = Object.entries(clientQuestions(snake)).map(([kind, row]) => `    "${kind}": ${pythonRow(row)},`);
  return `# The kinds of questions that are asked in a frame.\nQUESTIONS: Dict[str, Dict[str, Any]] = {\n${rows.join("\n")}\n}`;
}

function pythonRow(row: ClientQuestion): string {
  const fields = Object.entries(row).map(([name, value]) => `        "${name}": ${pythonLiteral(value)},`);
  return `{\n${fields.join("\n")}\n    }`;
}

function pythonLiteral(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `"${name}": ${pythonLiteral(part)}`)
    .join(", ")}}`;
}

function parts(python: PythonTypes, name: string, properties: Readonly<Record<string, JsonSchema>>): void {
  for (const [key, schema] of Object.entries(properties)) {
    if (!schema.not) python.type(schema, partName(name, key));
  }
}

/** The type of a key of a command or of the data of its response. */
export const partName = (name: string, key: string) =>
  `${name.replace(/Command$/, "").replace(/Response$/, "Result")}${key.charAt(0).toUpperCase()}${key.slice(1)}`;

/** The fields of the response, if they are inline rather than under a name of their own. */
export function dataOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return shapeIn(properties?.data)?.properties ?? {};
}

/** The schema of a nullable value. */
export function shapeIn(data: JsonSchema | undefined): JsonSchema | undefined {
  return data?.anyOf?.find(({ properties }) => properties !== undefined) ?? data;
}
