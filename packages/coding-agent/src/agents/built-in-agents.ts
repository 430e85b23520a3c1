import type { AgentDefinition } from "./agent-definition.ts";

const READING_TOOLS = ["read", "grep", "find", "ls", "ast_grep"] as const;

/** The agents that every session has, unless a file defines one of the same name. */
export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  {
    name: "task",
    description: "General work with all tools: changes that need several steps, or research and edits together.",
    source: "bundled",
    prompt: [
      "You are a subagent. Another agent has given you the assignment below and reads only your final message.",
      "Complete the whole assignment and nothing beyond it. Decide open details yourself, because you cannot ask.",
      "Check your work before you finish. End with what you did, the files you changed, and what is left or uncertain.",
    ].join("\n"),
    spawns: "*",
  },
  {
    name: "scout",
    description: "Fast, read-only search: finds files, definitions and usages, and reports where they are.",
    source: "bundled",
    prompt: [
      "You are a subagent that explores code. Another agent has given you the question below and reads only your final message.",
      "Search broadly with several patterns, then read only the relevant parts of the files. You cannot change anything.",
      "Answer with paths and line numbers, the facts found there, and what you looked for without success.",
    ].join("\n"),
    tools: READING_TOOLS,
    model: ["@smol"],
  },
  {
    name: "reviewer",
    description: "Read-only review of code or changes: reports defects with their location and consequence.",
    source: "bundled",
    prompt: [
      "You are a subagent that reviews code. Another agent has given you the assignment below and reads only your final message.",
      "Read the code and everything it depends on. Report only defects that you have verified in the source, most severe first.",
      "For each one give the path and line, what goes wrong for which input, and a fix. Say so if you found none.",
    ].join("\n"),
    tools: READING_TOOLS,
  },
];

/** Other names under which models know the built-in agents. */
export const AGENT_ALIASES: ReadonlyMap<string, string> = new Map([
  ["general", "task"],
  ["general-purpose", "task"],
  ["explore", "scout"],
  ["review", "reviewer"],
]);
