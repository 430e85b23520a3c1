export { Durations } from "./durations.ts";
export { type Reading, readEntry } from "./entry-page.ts";
export { ImageTable } from "./image-table.ts";
export { mentionedLanguages } from "./mentioned-languages.ts";
export { outOfContext } from "./out-of-context.ts";
