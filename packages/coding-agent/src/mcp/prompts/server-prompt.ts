import { isRecord } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";

export interface PromptArgument {
  name: string;
  isRequired: boolean;
}

/** A server prompt that the user can call. */
export interface ServerPrompt {
  /** The server's own name for it. */
  name: string;
  /** The name that the user types after the server's name, without blanks. */
  word: string;
  description: string;
  arguments: PromptArgument[];
}

const MAX_NAME = 256;
const MAX_DESCRIPTION = 1_024;
const MAX_ARGUMENTS = 30;

/** Returns undefined if it cannot be called. */
export function readPrompt(entry: unknown): ServerPrompt | undefined {
  if (!isRecord(entry)) return undefined;
  const { name, title, description, arguments: args } = entry;
  if (typeof name !== "string" || name.length > MAX_NAME) return undefined;
  const word = plainLine(name).replace(/\s/g, "_");
  if (word === "") return undefined;
  const about = [description, title].find((text): text is string => typeof text === "string" && text.trim() !== "");
  return {
    name,
    word,
    description: plainLine(about ?? "").slice(0, MAX_DESCRIPTION),
    arguments: (Array.isArray(args) ? args.slice(0, MAX_ARGUMENTS) : []).flatMap((one): PromptArgument[] =>
      isRecord(one) && typeof one.name === "string" && one.name.length <= MAX_NAME
        ? [{ name: one.name, isRequired: one.required === true }]
        : [],
    ),
  };
}

/** Hint about its arguments. */
export function promptHint({ arguments: args }: ServerPrompt): string {
  return args.map(({ name, isRequired }) => (isRequired ? `<${plainLine(name)}>` : `[${plainLine(name)}]`)).join(" ");
}
