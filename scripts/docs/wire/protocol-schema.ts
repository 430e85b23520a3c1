import * as agent from "@pintle/agent/schemas";
import * as ai from "@pintle/ai/schemas";
import type { TSchema } from "typebox";
import type { CommandRow } from "../../../packages/coding-agent/src/modes/rpc/commands/command-row.ts";
import { commands } from "../../../packages/coding-agent/src/modes/rpc/commands/rpc-types.ts";
import {
  inputImage,
  interruptMode,
  queueMode,
  sessionState,
} from "../../../packages/coding-agent/src/modes/rpc/commands/wire-schemas.ts";
import { answerFrames, questionFrames } from "../../../packages/coding-agent/src/modes/rpc/host/host-frames.ts";
import { pendingWait } from "../../../packages/coding-agent/src/modes/rpc/host/pending-wait.ts";
import { Type } from "../../../packages/coding-agent/src/schemas/type.ts";
import * as sessionData from "../../../packages/coding-agent/src/session/session-event-data.ts";
import { sessionEventSchemas } from "../../../packages/coding-agent/src/session/session-event-schemas.ts";
import * as dataTypes from "./data-types.ts";
import * as frames from "./frames.ts";
import { Definitions, type JsonSchema, refTo } from "./json-schema.ts";
import { jsonText } from "./json-text.ts";

// The whole protocol as one JSON Schema, from the declarations that the program uses. The reference
// (docs/rpc.md, docs/protocol.schema.json), the client's copy and the tests load it.

export interface Protocol {
  /** By name of the definition, in groups for the reference. */
  types: Record<string, JsonSchema>;
  commands: Record<string, JsonSchema>;
  responses: Record<string, JsonSchema>;
  agentEvents: Record<string, JsonSchema>;
  sessionEvents: Record<string, JsonSchema>;
  serverFrames: Record<string, JsonSchema>;
  hostFrames: Record<string, JsonSchema>;
  /** For shapes without a name of their own. */
  definitions: Definitions;
}

export function readProtocol(): Protocol {
  const definitions = new Definitions({ ...namedIn(ai), ...namedIn(agent), ...namedIn(sessionData), ...ownTypes() });
  const group = (schemas: Readonly<Record<string, object>>, suffix = "") =>
    Object.fromEntries(
      Object.entries(schemas).map(([type, schema]) => [pascal(type) + suffix, definitions.expand(schema)]),
    );
  const rows = Object.entries(commands as Record<string, CommandRow>);
  return {
    types: definitions.all(),
    commands: group(Object.fromEntries(rows.map(([name, row]) => [name, commandFrame(name, row)])), "Command"),
    responses: {
      ...group(Object.fromEntries(rows.map(([name, row]) => [name, successResponse(name, row)])), "Response"),
      FailureResponse: definitions.expand(frames.FailureResponseSchema),
    },
    agentEvents: group(frames.withAddedFields(agent.agentEventSchemas), "Event"),
    sessionEvents: group(
      {
        ...sessionEventSchemas,
        prompt_result: frames.PromptResultSchema,
        session_settled: frames.SessionSettledSchema,
        bash_execution_update: frames.BashUpdateSchema,
      },
      "Event",
    ),
    serverFrames: { Ready: definitions.expand(frames.ReadySchema), ...group(built(questionFrames)) },
    hostFrames: group(built(answerFrames)),
    definitions,
  };
}

export function protocolSchema() {
  const { types, commands, responses, agentEvents, sessionEvents, serverFrames, hostFrames } = readProtocol();
  const events = { ...agentEvents, ...sessionEvents };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "pintle RPC protocol, version 1",
    description: "One JSON object per line. Further keys may appear in every object, and further types of events.",
    anyOf: [refTo("ServerFrame"), refTo("HostFrame")],
    $defs: {
      ServerFrame: anyOf({ ...serverFrames, Response: {}, Event: {} }, "What pintle writes."),
      HostFrame: anyOf({ Command: {}, ...hostFrames }, "What the host writes. An optional field may also be null."),
      Command: anyOf(commands),
      Response: anyOf(responses),
      Event: anyOf(events),
      ...commands,
      ...responses,
      ...events,
      ...serverFrames,
      ...hostFrames,
      ...types,
    } as Record<string, JsonSchema>,
  };
}

const ownTypes = () => ({
  ...namedIn(dataTypes),
  FrameId: frames.FrameIdSchema,
  InputImage: inputImage(),
  QueueMode: queueMode(),
  InterruptMode: interruptMode(),
  RpcSessionState: sessionState(),
  PendingWait: pendingWait(),
});

/** `XSchema` is the declaration of the type X. */
function namedIn(module: Readonly<Record<string, unknown>>): Record<string, object> {
  const schemas = Object.entries(module).filter(([name]) => name.endsWith("Schema"));
  return Object.fromEntries(schemas.map(([name, schema]) => [name.slice(0, -"Schema".length), schema as object]));
}

const built = (schemas: Readonly<Record<string, () => TSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([type, build]) => [type, build()]));

const id = () => ({ id: Type.Optional(frames.FrameIdSchema) });

/** Fields that are checked elsewhere, so that their row says less about them than a host must know. */
const FIELDS: Readonly<Record<string, Record<string, TSchema>>> = {
  set_host_tools: { tools: Type.Array(dataTypes.RpcHostToolDefinitionSchema) },
  set_todos: { phases: Type.Array(dataTypes.TodoPhaseInputSchema) },
};

function commandFrame(name: string, { summary, params }: CommandRow): TSchema {
  const fields = { ...params().properties, ...FIELDS[name] };
  return Type.Object({ ...id(), type: Type.Literal(name), ...fields }, { description: summary });
}

function successResponse(name: string, { result }: CommandRow): TSchema {
  const data = result();
  return Type.Object({
    ...id(),
    type: Type.Literal("response"),
    command: Type.Literal(name),
    success: Type.Literal(true),
    ...(!hasNoData(data) && { data }),
  });
}

const hasNoData = (result: TSchema): boolean => (result as JsonSchema).type === "void";

function anyOf(members: Readonly<Record<string, unknown>>, description?: string): JsonSchema {
  return { ...(description !== undefined && { description }), anyOf: Object.keys(members).map(refTo) };
}

export function pascal(type: string): string {
  return type.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** docs/protocol.schema.json. */
export const renderProtocolSchema = (): string => `${jsonText(protocolSchema())}\n`;
