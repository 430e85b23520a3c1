import { THINKING_LEVELS } from "@pintle/ai";
import { contentFault } from "./content-blocks.ts";

// Extensions are not type-checked, so errors name what the method accepts.

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is Record<string, unknown> => Object(value) === value;

interface Expectation {
  takes: string;
  isMet(...args: unknown[]): boolean;
}

const EXPECTATIONS = {
  sendUserMessage: {
    takes: "a string or a list of text and image blocks",
    isMet: (content) => contentFault("user", content) === undefined,
  },
  appendEntry: { takes: "a string as its type", isMet: isText },
  setSessionName: { takes: "a string", isMet: isText },
  setLabel: {
    takes: "the id of an entry and a string",
    isMet: (entryId, label) => isText(entryId) && isText(label ?? ""),
  },
  setActiveTools: { takes: "a list of names", isMet: (names) => Array.isArray(names) && names.every(isText) },
  setModel: { takes: "a model", isMet: (model) => isObject(model) && isText(model.provider) && isText(model.id) },
  setThinkingLevel: {
    takes: `one of ${THINKING_LEVELS.join(", ")}`,
    isMet: (level) => THINKING_LEVELS.some((known) => known === level),
  },
  registerCommand: { takes: "a name and an object", isMet: (name, command) => isText(name) && isObject(command) },
  registerFlag: {
    takes: 'a name and an object whose type is "boolean" or "string"',
    isMet: (name, flag) => isText(name) && isObject(flag) && (flag.type === "boolean" || flag.type === "string"),
  },
  registerMcpServer: { takes: "a name and an object", isMet: (name, config) => isText(name) && isObject(config) },
  registerProvider: { takes: "a name and an object", isMet: (name, provider) => isText(name) && isObject(provider) },
} satisfies Record<string, Expectation>;

export function requireArguments(method: keyof typeof EXPECTATIONS, ...args: unknown[]): void {
  const { takes, isMet }: Expectation = EXPECTATIONS[method];
  if (!isMet(...args)) throw new TypeError(`${method} takes ${takes}`);
}
