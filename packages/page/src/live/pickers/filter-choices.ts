export interface Choice {
  id: string;
  label: string;
  detail?: string;
}

/** Returns the choices that contain every word of the query, those whose name starts with it first. */
export function filterChoices(choices: readonly Choice[], query: string): Choice[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [...choices];
  const fits = choices.filter(({ id, label, detail = "" }) => {
    const text = `${id} ${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ label }: Choice) => label.toLowerCase().startsWith(words[0] as string);
  return [...fits.filter(begins), ...fits.filter((choice) => !begins(choice))];
}
