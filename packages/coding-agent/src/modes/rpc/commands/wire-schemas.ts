import { type Model, THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import type { Static } from "typebox";
import { Type } from "../../../schemas/type.ts";
import type { ContextUsage } from "../../../session/context-usage.ts";
import type { TodoPhase } from "../../../session/session-events.ts";
import { wireType } from "./command-row.ts";

// Schemas that several commands share, each built when a row first asks for it.

export const queueMode = () => Type.Union([Type.Literal("all"), Type.Literal("one-at-a-time")]);
export const interruptMode = () => Type.Union([Type.Literal("immediate"), Type.Literal("wait")]);

export const inputImage = () =>
  Type.Object({
    type: Type.Literal("image"),
    data: Type.String({ pattern: "^[A-Za-z0-9+/]+={0,2}$", description: "base64 text without a data: prefix" }),
    mimeType: Type.String({ pattern: "^image/.", description: "an image/* type" }),
  });

const toolDefinition = () =>
  Type.Object({ name: Type.String(), description: Type.String(), parameters: Type.Unsafe<object>(Type.Object({})) });

export const sessionState = () =>
  Type.Object({
    model: Type.Optional(wireType<Model>("Model")),
    thinkingLevel: wireType<ThinkingLevel>("ThinkingLevel"),
    isStreaming: Type.Boolean({ description: "from the acceptance of a prompt until just before agent_end" }),
    isCompacting: Type.Boolean(),
    isSettled: Type.Boolean({ description: "no run, no compaction, and nothing left to do for the last run" }),
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
    todoPhases: Type.Array(wireType<TodoPhase>("TodoPhase")),
    systemPrompt: Type.Optional(Type.String()),
    dumpTools: Type.Optional(Type.Array(toolDefinition())),
    contextUsage: Type.Optional(wireType<ContextUsage>("ContextUsage")),
  });
export type SessionState = Static<ReturnType<typeof sessionState>>;

export const sessionStatus = () =>
  Type.Union([Type.Literal("idle"), Type.Literal("running"), Type.Literal("waiting"), Type.Literal("stored")]);

export const listedSession = () =>
  Type.Object({
    sessionId: Type.String(),
    sessionFile: Type.String({ description: "absolute path, for switch_session" }),
    name: Type.Optional(Type.String()),
    cwd: Type.String(),
    createdAt: Type.String({ description: "ISO 8601" }),
    updatedAt: Type.String({ description: "ISO 8601" }),
    messageCount: Type.Integer({ description: "on all branches, results of tools too" }),
    firstMessage: Type.Optional(Type.String({ description: "of the user, at most 500 characters of it" })),
    status: sessionStatus(),
  });

/** The six levels of the wire; no other value is understood. */
export const thinkingLevel = () =>
  Type.Unsafe<ThinkingLevel>(Type.Union(THINKING_LEVELS.map((level) => Type.Literal(level))));
