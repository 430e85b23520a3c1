import { errorText } from "@pintle/ai";
import { SessionError } from "@pintle/storage";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import { parseSlash, type SlashCommand } from "../../resources/prompts/slash-commands.ts";
import { splitArguments } from "../../resources/prompts/template-arguments.ts";
import { promptHint, type ServerPrompt } from "./server-prompt.ts";

/** The part of a server that concerns prompts. */
export interface PromptServer {
  name: string;
  prompts: readonly ServerPrompt[];
  getPrompt(name: string, values: Record<string, string>, signal: AbortSignal): Promise<PromptText>;
}

/** Returns `/server:prompt` for each prompt, sorted by name. */
export function promptCommands(servers: readonly PromptServer[]): SlashCommand[] {
  const commands = servers.flatMap((server) => server.prompts.map((prompt) => toCommand(server, prompt)));
  return commands.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Resolves a message that calls a prompt. Returns undefined if it calls none. Throws SessionError. */
export async function expandCommand(
  text: string,
  servers: readonly PromptServer[],
  signal: AbortSignal,
): Promise<PromptText | undefined> {
  const slash = parseSlash(text);
  for (const server of slash ? servers : []) {
    const prompt = server.prompts.find((one) => commandName(server, one) === slash?.name);
    if (slash && prompt) return expand(server, prompt, slash.args, signal);
  }
  return undefined;
}

async function expand(
  server: PromptServer,
  prompt: ServerPrompt,
  typed: string,
  signal: AbortSignal,
): Promise<PromptText> {
  const { values, missing } = fillArguments(prompt, typed);
  const name = commandName(server, prompt);
  if (missing.length > 0) {
    const usage = `/${name} ${promptHint(prompt)}`;
    throw new SessionError("invalid_request", `/${name} needs ${missing.join(", ")}. Usage: ${usage}`);
  }
  const { text, images } = await server.getPrompt(prompt.name, values, signal).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw new SessionError("invalid_request", `/${name} failed: ${errorText(error)}`);
  });
  // Text typed after a prompt without arguments is appended, as for templates.
  const isUnused = prompt.arguments.length === 0 && typed.trim() !== "";
  return { text: isUnused ? `${text}\n\n${typed.trim()}` : text, ...(images && { images }) };
}

function toCommand(server: PromptServer, prompt: ServerPrompt): SlashCommand {
  const hint = promptHint(prompt);
  return {
    name: commandName(server, prompt),
    ...(prompt.description !== "" && { description: prompt.description }),
    ...(hint !== "" && { hint }),
    source: "mcp_prompt",
  };
}

function commandName({ name }: PromptServer, { word }: ServerPrompt): string {
  return `${name}:${word}`;
}

interface FilledArguments {
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
