import { agentEventSchemas, event } from "@pintle/agent/schemas";
import { UsageSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { TObject, TProperties } from "typebox";

// The events of a run are declared by the loop that emits them; on the way out the connection adds some fields.

const messageId = {
  messageId: Type.String({ description: "the same from `message_start` to `message_end`, and of no other message" }),
};

const ADDED_FIELDS: Readonly<Record<string, TProperties>> = {
  message_start: messageId,
  message_update: { ...messageId, usage: Type.Optional(UsageSchema) },
  message_end: messageId,
  agent_end: {
    willRetry: Type.Optional(Type.Literal(false, { description: "in the `pi` dialect: attempts are part of the run" })),
  },
};

/** As they are written. */
export const runEventSchemas: Readonly<Record<string, TObject>> = Object.fromEntries(
  Object.entries(agentEventSchemas).map(([type, declared]) => {
    const { description = "" } = declared as { description?: string };
    const { type: _type, ...fields } = declared.properties;
    return [type, event(type, description, { ...fields, ...ADDED_FIELDS[type] })];
  }),
);
