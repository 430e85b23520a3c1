import { type JsonSchema, protocolSchema, refName } from "@pintle/wire/schemas";
import { Compile, type Validator } from "typebox/schema";
import { DIALECTS, type Dialect } from "../../src/modes/rpc/dialects/dialect.ts";

const { $defs } = protocolSchema();

/** One possible shape of a frame. */
interface Shape {
  schema: JsonSchema;
  /** The fields that distinguish it from the others. */
  constants: readonly (readonly [string, unknown])[];
  validator?: Validator;
}

const checkDeclared = checkerOf("ServerFrame");
const DROPPED = DIALECTS.pi.frames.ready;

/** Returns what is wrong with a frame that the program wrote; nothing if it is as declared. */
export function checkServerFrame(frame: unknown, dialect: Dialect = "seed"): string[] {
  const { type, command, data } = (frame ?? {}) as Record<string, unknown>;
  if (DIALECTS[dialect].frames[String(type)] === DROPPED) return [`type ${type} is not sent in the dialect ${dialect}`];
  // The one response of each dialect with a different shape.
  const isSilent = dialect === "pi" && command === "get_last_assistant_text" && Object.keys(data ?? {}).length === 0;
  const { systemPrompt } = (data ?? {}) as { systemPrompt?: unknown };
  if (dialect === "omp" && command === "get_state" && Array.isArray(systemPrompt)) {
    const declared = { ...(frame as object), data: { ...(data as object), systemPrompt: systemPrompt.join("") } };
    return checkDeclared(withDeclaredLevels(declared, dialect));
  }
  return checkDeclared(isSilent ? { ...(frame as object), data: { text: null } } : withDeclaredLevels(frame, dialect));
}

/** The schema has the levels of the default dialect; the other dialects also have `max`. */
function withDeclaredLevels(frame: unknown, dialect: Dialect): unknown {
  const { type } = (frame ?? {}) as { type?: string };
  if (dialect === "seed") return frame;
  if (type !== "response" && type !== "thinking_level_changed" && type !== "config_update") return frame;
  const rewritten = type === "response" ? type : "thinking_level_changed";
  return DIALECTS.seed.frames[rewritten]!(frame as never, undefined as never);
}

/** Returns what is wrong with a frame that a host wrote. */
export const checkHostFrame = checkerOf("HostFrame");
/** A gateway has its own `open_session`. */
export const checkGatewayFrame = checkerOf("GatewayHostFrame");

function checkerOf(name: string): (frame: unknown) => string[] {
  const byType = Map.groupBy(shapesOf({ $ref: `#/$defs/${name}` }), typeOf);
  return (frame) => {
    if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return ["is no object"];
    const fields = frame as Record<string, unknown>;
    const shapes = byType.get(fields.type);
    if (!shapes) return [`type ${JSON.stringify(fields.type)} is not declared in ${name}`];
    const fitting = shapes.filter(({ constants }) => constants.every(([key, value]) => fields[key] === value));
    const candidates = fitting.length > 0 ? fitting : shapes;
    const faults = candidates.map((shape) => faultsOf(shape, frame));
    // If there are several shapes, the closest one explains the mistake best.
    return faults.reduce((least, other) => (other.length < least.length ? other : least));
  };
}

function shapesOf(schema: JsonSchema): Shape[] {
  if (schema.$ref !== undefined) return shapesOf($defs[refName(schema.$ref)]!);
  if (schema.anyOf) return schema.anyOf.flatMap(shapesOf);
  const fields = Object.entries(schema.properties ?? {});
  const constants = fields
    .filter(([, field]) => field.const !== undefined)
    .map(([key, field]) => [key, field.const] as const);
  return [{ schema, constants }];
}

function faultsOf(shape: Shape, frame: object): string[] {
  shape.validator ??= Compile({ $defs, ...shape.schema } as never) as Validator;
  if (shape.validator.Check(frame)) return [];
  const [, errors] = shape.validator.Errors(frame);
  return errors.map(({ instancePath, message }) => `${instancePath || "frame"} ${message}`);
}

function typeOf({ constants }: Shape): unknown {
  return constants.find(([key]) => key === "type")?.[1];
}
