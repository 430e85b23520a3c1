import { cutToBytes } from "../../text/cut-to-bytes.ts";
import { stripControlCharacters } from "../shared/control-characters.ts";
import { findClosestRegion } from "./closest-region.ts";
import { MAX_COUNTED } from "./find-text.ts";
import type { DecodedFile } from "./text-codec.ts";

const MAX_REGION_BYTES = 4096;

/** `edits[2].oldText`; the index says nothing when there is only one. */
export function editField(field: string, index: number, total: number): string {
  return total > 1 ? `edits[${index}].${field}` : field;
}

export function emptyText(field: string): string {
  return `${field} is empty. Name the text to replace; to insert, repeat a line beside the place. Use write for a new file.`;
}

export function unchangedText(shownPath: string, index: number, total: number): string {
  return `${total > 1 ? `edits[${index}]` : "The edit"} changes nothing in ${shownPath}: the new text is the old one.`;
}

export function ambiguousText(field: string, shownPath: string, count: number, isExact: boolean): string {
  const apart = isExact ? "" : " (apart from quotes, dashes and spaces)";
  const number = count === MAX_COUNTED ? `${count} or more` : `${count}`;
  return `${field} has ${number} occurrences in ${shownPath}${apart}. Add lines around it until it is unique.`;
}

export function overlapText(shownPath: string, indexes: readonly [number, number]): string {
  return `edits[${indexes[0]}] and edits[${indexes[1]}] overlap in ${shownPath}. Make one edit of them.`;
}

/** The second part is for the next try: the place that was probably meant, as it really is. */
export function notFoundText(
  field: string,
  shownPath: string,
  file: DecodedFile,
  text: string,
  wanted: string,
): string {
  const rule = file.isCharacters
    ? "It must be the file's text, spaces and line breaks included."
    : "The file is not valid UTF-8: name text without the characters that read shows as U+FFFD.";
  const problem = `${field} was not found in ${shownPath}. ${rule}`;
  const region = findClosestRegion(text, wanted);
  if (!region) return problem;
  const { firstLine, lastLine, similarity } = region;
  const lines = firstLine === lastLine ? `line ${firstLine} is` : `lines ${firstLine}-${lastLine} are`;
  return `${problem} Closest: ${lines} ${Math.floor(similarity * 100)} % the same:\n${boundedRegion(stripControlCharacters(file.toShown(region.text)))}`;
}

function boundedRegion(text: string): string {
  const shown = cutToBytes(text, MAX_REGION_BYTES);
  return shown.length === text.length ? shown : `${shown}\n[cut]`;
}
