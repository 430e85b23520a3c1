import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf, TODO_STATUSES } from "../words.ts";

const status = oneOf(TODO_STATUSES);
const remarks = { notes: Type.Optional(Type.String()), details: Type.Optional(Type.String()) };

export const TodoItemSchema = Type.Object({ id: Type.String(), content: Type.String(), status, ...remarks });
export type TodoItem = Static<typeof TodoItemSchema>;

export const TodoPhaseSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tasks: Type.Array(TodoItemSchema),
});
export type TodoPhase = Static<typeof TodoPhaseSchema>;

export const TodoItemInputSchema = Type.Object({
  id: Type.Optional(Type.String({ description: "generated if absent or taken" })),
  content: Type.String(),
  status: Type.Optional(status),
  ...remarks,
});

export const TodoPhaseInputSchema = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.String(),
  tasks: Type.Optional(Type.Array(TodoItemInputSchema)),
});
