import { nearNames } from "@pintle/agent";
import { cutText } from "@pintle/ai";

const MAX_NAME_CHARS = 100;

/** Describes an unknown field of a frame, and suggests the one that was probably meant. */
export function unknownFieldText(type: string, field: string, known: readonly string[]): string {
  const isNested = /[.[]/.test(field);
  const [near] = isNested ? [] : nearNames(cutText(field, MAX_NAME_CHARS), known);
  const advice = near === undefined ? "" : `; did you mean ${near}?`;
  return `${cutText(field, MAX_NAME_CHARS)} is not a field of ${type}${advice}`;
}
