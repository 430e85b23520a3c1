import { answerFrames } from "../frames/question-frames.ts";
import { type FieldSchema, parseObject } from "./parse-params.ts";

export type AnswerType = keyof typeof answerFrames;

export interface AnswerFaults {
  /** What is wrong with the shape of the answer, if anything. */
  fault?: string;
  /** The fields that no answer of this type has. */
  unknown: string[];
}

/**
 * Compares an answer of the host with its declaration. Answers are read leniently; this check reports mistakes to the
 * host.
 */
export function checkAnswer(type: AnswerType, fields: Record<string, unknown>): AnswerFaults {
  const unknown: string[] = [];
  const schema = answerFrames[type]() as FieldSchema;
  const variants = schema.anyOf ?? [schema];
  const variant =
    variants.length === 1 ? variants[0] : variants.find((one) => ownFields(one).every((name) => isSet(fields[name])));
  if (!variant) return { fault: `one of ${variants.flatMap(ownFields).join(", ")} is missing`, unknown };
  try {
    parseObject(variant, fields, "", unknown);
  } catch (error) {
    return { fault: (error as Error).message, unknown };
  }
  return { unknown };
}

const isSet = (value: unknown) => value !== undefined && value !== null;

/** The fields that an answer of this variant must have in addition to its type and id. */
function ownFields({ required = [] }: FieldSchema): string[] {
  return required.filter((name) => name !== "type" && name !== "id");
}
