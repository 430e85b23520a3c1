import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

const ids = (what: string) =>
  Type.Optional(Type.Array(Type.String(), { description: `for \`remove_queued\`, one for each entry of \`${what}\`` }));

/** Messages that wait to be delivered, in order. */
export const QueueSchema = Type.Object({
  steering: Type.Array(Type.String()),
  followUp: Type.Array(Type.String()),
  steeringIds: ids("steering"),
  followUpIds: ids("followUp"),
});
export type Queue = Static<typeof QueueSchema>;
