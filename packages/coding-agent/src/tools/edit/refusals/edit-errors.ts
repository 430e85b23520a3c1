/** `edits[2].oldText`; the index says nothing when there is only one. */
export function editField(field: string, index: number, total: number): string {
  return total > 1 ? `edits[${index}].${field}` : field;
}

export function emptyText(field: string): string {
  return `${field} is empty. Name the text to replace; to insert, repeat a line beside the place. Use write for a new file.`;
}

export function unchangedText(shownPath: string, index: number, total: number, numbers?: LineRange): string {
  const edit = total > 1 ? `edits[${index}]` : "The edit";
  const there = numbers
    ? `${rangeInWords(numbers)} would stay as ${isOne(numbers) ? "it is" : "they are"}`
    : "the new text is the old one";
  return `${edit} changes nothing in ${shownPath}: ${there}. Give the text as it should become, or leave the edit out.`;
}

export interface SeveralFacts {
  field: string;
  shownPath: string;
  /** `1000 or more`. */
  count: string;
  /** In what the places differ from the text; empty if in nothing. */
  told: string;
  /** The places, with what tells them apart. */
  places: string;
}

export function severalText({ field, shownPath, count, told, places }: SeveralFacts): string {
  const spelled = told === "" ? "" : ` (${told})`;
  return `${field} has ${count} occurrences in ${shownPath}${spelled}: ${places}. Add lines around it until it is unique, or set replaceAll to replace all of them.`;
}

export function overlapText(shownPath: string, indexes: readonly [number, number]): string {
  return `edits[${indexes[0]}] and edits[${indexes[1]}] overlap in ${shownPath}. Make one edit of them.`;
}

export function unclearText(
  field: string,
  shownPath: string,
  numbers: LineRange,
  told: string,
  reason: string,
): string {
  const differs = told === "" ? "" : ` ${told}`;
  return `${field} matches ${rangeInWords(numbers)} of ${shownPath} only${differs}, and then it is unclear: ${reason}. Nothing was changed. Repeat the edit with the text of ${rangeInWords(numbers)} as it stands in the file:`;
}

export function placeholderText(
  field: string,
  shownPath: string,
  { number, line }: { number: number; line: string },
): string {
  return `${field} has a placeholder in its line ${number} (${line}), which ${shownPath} does not have. Write out the whole text, or make several small edits around what stays.`;
}

export interface LineRange {
  first: number;
  last: number;
}

export function rangeInWords({ first, last }: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function isOne({ first, last }: LineRange): boolean {
  return first === last;
}
