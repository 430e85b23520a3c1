import * as agent from "@pintle/agent/schemas";
import * as ai from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { TSchema } from "typebox";
import { commands } from "../commands/commands.ts";
import { gatewayCommands } from "../commands/gateway.ts";
import type { CommandRow } from "../commands/row.ts";
import { FrameIdSchema } from "../data/frame-id.ts";
import * as data from "../data/index.ts";
import { connectionEventSchemas } from "../events/connection-events.ts";
import { gatewayEventSchemas } from "../events/gateway-events.ts";
import { runEventSchemas } from "../events/run-events.ts";
import { sessionEventSchemas } from "../events/session-events.ts";
import { SessionFrameSchema, SessionHostFrameSchema } from "../frames/envelope.ts";
import { answerFrames, questionFrames } from "../frames/question-frames.ts";
import { ReadySchema } from "../frames/ready.ts";
import { FailureResponseSchema, successResponse } from "../frames/response.ts";
import { ServerReadySchema } from "../frames/server-ready.ts";
import { Definitions, type JsonSchema, refTo } from "./json-schema.ts";

// The whole protocol as one JSON Schema: the reference (docs/rpc.md, docs/protocol.schema.json), the client's copy and
// the tests are derived from it.

export interface Protocol {
  /** Types by name of the definition, in groups for the reference. */
  types: Record<string, JsonSchema>;
  commands: Record<string, JsonSchema>;
  responses: Record<string, JsonSchema>;
  agentEvents: Record<string, JsonSchema>;
  sessionEvents: Record<string, JsonSchema>;
  serverFrames: Record<string, JsonSchema>;
  hostFrames: Record<string, JsonSchema>;
  /** What a gateway adds; `commands` and `responses` under their names on the wire. */
  gateway: {
    commands: Record<string, JsonSchema>;
    responses: Record<string, JsonSchema>;
    events: Record<string, JsonSchema>;
    ready: JsonSchema;
    sessionFrame: JsonSchema;
    sessionHostFrame: JsonSchema;
  };
  /** For types without a name of their own. */
  definitions: Definitions;
}

export function readProtocol(): Protocol {
  const definitions = new Definitions({ ...namedIn(ai), ...namedIn(agent), ...namedIn(data) });
  const group = (schemas: Readonly<Record<string, object>>, suffix = "") =>
    Object.fromEntries(
      Object.entries(schemas).map(([type, schema]) => [pascal(type) + suffix, definitions.expand(schema)]),
    );
  const frames = (rows: Readonly<Record<string, CommandRow>>) => ({
    commands: group(mapped(rows, commandFrame), "Command"),
    responses: group(mapped(rows, response), "Response"),
  });
  const plain = frames(commands as Readonly<Record<string, CommandRow>>);
  return {
    types: definitions.all(),
    commands: plain.commands,
    responses: { ...plain.responses, FailureResponse: definitions.expand(FailureResponseSchema) },
    agentEvents: group(runEventSchemas, "Event"),
    sessionEvents: group({ ...sessionEventSchemas, ...connectionEventSchemas }, "Event"),
    serverFrames: { Ready: definitions.expand(ReadySchema), ...group(built(questionFrames)) },
    hostFrames: group(built(answerFrames)),
    gateway: {
      ...frames(gatewayCommands as Readonly<Record<string, CommandRow>>),
      events: group(gatewayEventSchemas, "Event"),
      ready: definitions.expand(ServerReadySchema),
      sessionFrame: definitions.expand(SessionFrameSchema),
      sessionHostFrame: definitions.expand(SessionHostFrameSchema),
    },
    definitions,
  };
}

export function protocolSchema() {
  const { types, commands, responses, agentEvents, sessionEvents, serverFrames, hostFrames, gateway } = readProtocol();
  const events = { ...agentEvents, ...sessionEvents };
  const gatewayCommands = ofGateway(gateway.commands);
  const gatewayResponses = ofGateway(gateway.responses);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "pintle RPC protocol, version 1",
    description: "One JSON object per line. Objects may have additional keys, and there may be additional event types.",
    anyOf: ["ServerFrame", "HostFrame", "GatewayServerFrame", "GatewayHostFrame"].map(refTo),
    $defs: {
      ServerFrame: anyOf({ ...serverFrames, Response: {}, Event: {} }, "The frames that pintle writes."),
      HostFrame: anyOf(
        { Command: {}, ...hostFrames },
        "The frames that a host writes. An optional field may also be null.",
      ),
      Command: anyOf(commands),
      Response: anyOf(responses),
      Event: anyOf(events),
      GatewayServerFrame: anyOf(
        { ServerReady: {}, ...gatewayResponses, FailureResponse: {}, ...gateway.events, SessionFrame: {} },
        "The frames that a gateway writes.",
      ),
      GatewayHostFrame: anyOf(
        { ...gatewayCommands, SessionHostFrame: {} },
        "The frames that a host writes to a gateway.",
      ),
      ...commands,
      ...responses,
      ...events,
      ...serverFrames,
      ...hostFrames,
      ...gatewayCommands,
      ...gatewayResponses,
      ...gateway.events,
      ServerReady: gateway.ready,
      SessionFrame: gateway.sessionFrame,
      SessionHostFrame: gateway.sessionHostFrame,
      ...types,
    } as Record<string, JsonSchema>,
  };
}

/** `XSchema` is the declaration of the type X. */
function namedIn(module: Readonly<Record<string, unknown>>): Record<string, object> {
  const schemas = Object.entries(module).filter(([name]) => name.endsWith("Schema"));
  return Object.fromEntries(schemas.map(([name, schema]) => [name.slice(0, -"Schema".length), schema as object]));
}

/** Prefixes a gateway's names, because some of its commands share the name of a plain one. */
const ofGateway = (frames: Readonly<Record<string, JsonSchema>>) =>
  Object.fromEntries(Object.entries(frames).map(([name, schema]) => [`Gateway${name}`, schema]));

const mapped = <T, U>(values: Readonly<Record<string, T>>, map: (name: string, value: T) => U) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(name, value)]));

const built = (schemas: Readonly<Record<string, () => TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([type, build]) => [type, build()]));

function commandFrame(name: string, { summary, params }: CommandRow): TSchema {
  const head = { id: Type.Optional(FrameIdSchema), type: Type.Literal(name) };
  return Type.Object({ ...head, ...params().properties }, { description: summary });
}

function response(name: string, { result, variant }: CommandRow): TSchema {
  const data = variant ? Type.Union([result(), variant.result()]) : result();
  const hasNoData = (data as JsonSchema).type === "void";
  return successResponse(name, hasNoData ? undefined : data);
}

function anyOf(members: Readonly<Record<string, unknown>>, description?: string): JsonSchema {
  return { ...(description !== undefined && { description }), anyOf: Object.keys(members).map(refTo) };
}

export function pascal(type: string): string {
  return type.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
