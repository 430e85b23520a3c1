import { agentEventSchemas, event } from "@pintle/agent/schemas";
import { UsageSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { TObject, TProperties } from "typebox";

// The loop declares the events of a run; the connection adds some fields before it sends them.

const messageId = {
  messageId: Type.String({ description: "the same from `message_start` to `message_end`, and unique to that message" }),
};

const ADDED_FIELDS: Readonly<Record<string, TProperties>> = {
  message_start: messageId,
  message_update: { ...messageId, usage: Type.Optional(UsageSchema) },
  message_end: messageId,
  agent_end: {
    awaitingAsyncWork: Type.Optional(
      Type.Literal(true, { description: "a background job is pending: its result starts another run" }),
    ),
    isTerminal: Type.Optional(Type.Literal(false, { description: "sent with `awaitingAsyncWork`" })),
    yielded: Type.Optional(Type.Literal(true, { description: "sent with `awaitingAsyncWork`" })),
    willRetry: Type.Optional(Type.Literal(false, { description: "in the `pi` dialect: retries are part of the run" })),
  },
};

/** Run events as they are sent. */
export const runEventSchemas: Readonly<Record<string, TObject>> = Object.fromEntries(
  Object.entries(agentEventSchemas).map(([type, declared]) => {
    const { description = "" } = declared as { description?: string };
    const { type: _type, ...fields } = declared.properties;
    return [type, event(type, description, { ...fields, ...ADDED_FIELDS[type] })];
  }),
);
