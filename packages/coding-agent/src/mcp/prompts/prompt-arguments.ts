import { splitArguments } from "../../resources/prompts/template-arguments.ts";
import type { ServerPrompt } from "./server-prompt.ts";

export interface FilledArguments {
  values: Record<string, string>;
  /** Names of required arguments that were not given. */
  missing: string[];
}

/**
 * Assigns `name=value` to the argument of that name, and other words to the remaining arguments in order. Extra words
 * belong to the last argument, so that text does not need quotes.
 */
export function fillArguments(prompt: ServerPrompt, typed: string): FilledArguments {
  const values = new Map<string, string>();
  const words: string[] = [];
  for (const word of splitArguments(typed)) {
    const named = prompt.arguments.find(({ name }) => word.startsWith(`${name}=`) && !values.has(name));
    if (named) values.set(named.name, word.slice(named.name.length + 1));
    else words.push(word);
  }
  const left = prompt.arguments.filter(({ name }) => !values.has(name));
  for (const [index, { name }] of left.entries()) {
    const isLast = index === left.length - 1;
    const value = isLast ? words.slice(index).join(" ") : words[index];
    if (value !== undefined && value !== "") values.set(name, value);
  }
  const missing = prompt.arguments.filter(({ name, isRequired }) => isRequired && !values.has(name));
  return { values: Object.fromEntries(values), missing: missing.map(({ name }) => name) };
}
