import { Type } from "@pintle/ai/type";
import type { Static, TObject, TSchema } from "typebox";
import { FrameIdSchema, frameId } from "../data/frame-id.ts";
import { ERROR_CODES } from "../errors.ts";

const head = <C extends TSchema, S extends boolean>(command: C, success: S) => ({
  id: Type.Optional(FrameIdSchema),
  requestId: Type.Optional(
    frameId("the id of a frame whose response must not contain it, or the JSON text of an invalid id"),
  ),
  type: Type.Literal("response"),
  command,
  success: Type.Literal(success),
});

const success = (command: string) => head(Type.Literal(command), true);

/**
 * The response to a command that succeeded; without `data` if there is nothing to return. The type is written out,
 * because the inferred one has a `data?: TSchema | undefined`, which is not a schema under
 * `exactOptionalPropertyTypes`.
 */
export const successResponse = (command: string, data?: TSchema): TObject =>
  Type.Object({ ...success(command), ...(data && { data }) });

export const FailureResponseSchema = Type.Object(
  {
    ...head(Type.String({ description: "as the host wrote it; `parse` if the line was not a command" }), false),
    error: Type.String({ description: "for people" }),
    code: Type.Optional(Type.String({ description: "for programs, see Failures", examples: Object.keys(ERROR_CODES) })),
  },
  { description: "A command was refused or failed." },
);

export type ResponseFrame =
  | (Static<TObject<ReturnType<typeof success>>> & { data?: object | null })
  | Static<typeof FailureResponseSchema>;
