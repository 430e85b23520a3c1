import type { AgentMessage } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";
import { type Static, type TObject, type TSchema, Type } from "typebox";
import type { ContextUsage } from "../../session/context-usage.ts";
import type { AgentSessionEvent } from "../../session/session-events.ts";
import type { LaneRule } from "./command-lanes.ts";

/** What is wrong with one field of a request. */
export interface FieldFault {
  field: string;
  mustBe: string;
}

/**
 * A command of the protocol. Validation, scheduling, types and the reference page follow from its row. Schemas are built
 * when they are first used: all of them together would cost several milliseconds before `ready`.
 */
export interface CommandRow<P extends TObject = TObject, R extends TSchema = TSchema> extends LaneRule {
  summary: string;
  params: () => P;
  result: () => R;
  /** A rule over several fields, which a schema of single fields cannot say. */
  check?(params: Static<P>): FieldFault | undefined;
}

function row<P extends TObject, R extends TSchema>(command: CommandRow<P, R>): CommandRow<P, R> {
  return { ...command, params: once(command.params), result: once(command.result) };
}

function once<T>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}

/** A type of the wire that is declared where it belongs; the schema names it, the TypeScript type is the real one. */
function wireType<T>(name: string) {
  return Type.Unsafe<T>(Type.Ref(name));
}

const noParams = () => Type.Object({});
/** The response has no `data`. */
const noResult = () => Type.Void();

const queueMode = () => Type.Union([Type.Literal("all"), Type.Literal("one-at-a-time")]);
const interruptMode = () => Type.Union([Type.Literal("immediate"), Type.Literal("wait")]);

const inputImage = () =>
  Type.Object({
    type: Type.Literal("image"),
    data: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "base64 text without a data: prefix" }),
    mimeType: Type.String({ pattern: "^image/.", description: "an image/* type" }),
  });

const todoItem = () =>
  Type.Object({
    id: Type.String(),
    content: Type.String(),
    status: Type.Union([
      Type.Literal("pending"),
      Type.Literal("in_progress"),
      Type.Literal("completed"),
      Type.Literal("abandoned"),
    ]),
    notes: Type.Optional(Type.String()),
    details: Type.Optional(Type.String()),
  });

const toolDefinition = () =>
  Type.Object({ name: Type.String(), description: Type.String(), parameters: Type.Unsafe<object>(Type.Object({})) });

const sessionState = () =>
  Type.Object({
    model: Type.Optional(wireType<Model>("Model")),
    thinkingLevel: wireType<ThinkingLevel>("ThinkingLevel"),
    isStreaming: Type.Boolean({ description: "from the acceptance of a prompt until just before agent_end" }),
    isCompacting: Type.Boolean(),
    steeringMode: queueMode(),
    followUpMode: queueMode(),
    interruptMode: interruptMode(),
    sessionFile: Type.Optional(Type.String({ description: "absolute path; absent when nothing is stored" })),
    sessionId: Type.String(),
    sessionName: Type.Optional(Type.String()),
    autoCompactionEnabled: Type.Boolean(),
    messageCount: Type.Integer(),
    queuedMessageCount: Type.Integer(),
    pendingMessageCount: Type.Integer({ description: "the same as queuedMessageCount" }),
    todoPhases: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), tasks: Type.Array(todoItem()) })),
    systemPrompt: Type.Optional(Type.String()),
    dumpTools: Type.Optional(Type.Array(toolDefinition())),
    contextUsage: Type.Optional(wireType<ContextUsage>("ContextUsage")),
  });
export type SessionState = Static<ReturnType<typeof sessionState>>;

export const commands = {
  prompt: row({
    summary: "Start a run, or with streamingBehavior queue the message for the active one.",
    params: () =>
      Type.Object({
        message: Type.String(),
        images: Type.Optional(Type.Array(inputImage())),
        streamingBehavior: Type.Optional(Type.Union([Type.Literal("steer"), Type.Literal("followUp")])),
      }),
    result: noResult,
    lane: "ordered",
    check: hasContent,
  }),
  abort: row({
    summary: "Stop the active run and answer when the session is idle.",
    params: noParams,
    result: noResult,
    lane: "control",
  }),
  get_state: row({
    summary: "The session's state in one object.",
    params: noParams,
    result: sessionState,
    lane: "read",
    overtakesLong: true,
  }),
  get_messages: row({
    summary: "All finished messages of the conversation.",
    params: noParams,
    result: () => Type.Object({ messages: Type.Array(wireType<AgentMessage>("AgentMessage")) }),
    lane: "read",
  }),
};

export type CommandName = keyof typeof commands;
export type Params<N extends CommandName> = Static<ReturnType<(typeof commands)[N]["params"]>>;
export type Result<N extends CommandName> = Static<ReturnType<(typeof commands)[N]["result"]>>;

function hasContent({ message, images = [] }: { message: string; images?: unknown[] }): FieldFault | undefined {
  if (message !== "" || images.length > 0) return undefined;
  return { field: "message", mustBe: "a non-empty string" };
}

/** Answers to questions of the server. They are no commands and never get a response. */
export const ANSWER_FRAMES: ReadonlySet<string> = new Set([
  "extension_ui_response",
  "host_tool_update",
  "host_tool_result",
  "trust_response",
]);

export type FrameId = string | number;

export type ResponseFrame = { id?: FrameId; type: "response"; command: string } & (
  | { success: true; data?: object | null }
  | { success: false; error: string; code?: string; requestId?: FrameId }
);

/** The first line of every connection. */
export interface ReadyFrame {
  type: "ready";
  version: string;
  protocolVersion: 1;
  supportedProtocolVersions: [1];
  sessionId: string;
  sessionFile?: string;
  trust: "none" | "trusted" | "withheld";
  capabilities: string[];
}

export type ServerFrame = ReadyFrame | ResponseFrame | AgentSessionEvent;
