import { type Intent, parseRequests, REQUESTS } from "./offline-requests.ts";

export const INTRODUCTION =
  "I am pintle's offline model, a fixed set of rules and not an AI; for a real model, set the variable of an API key " +
  "such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or describe one in `~/.pintle/models.json`.";

export const IMAGE_ANSWER = "I cannot see the image: I only read text.";

type ToolIntent = Exclude<Intent, { kind: "help" | "unknown" }>;

/** One paragraph per request; whatever is not understood is answered once, with the list of what would be. */
export function answerRequests(text: string, activeTools: ReadonlySet<string>): string[] {
  const requests = parseRequests(text);
  const answers = requests.flatMap(({ text, intent }) =>
    needsTool(intent) ? [answerRequest(text, intent, activeTools)] : [],
  );
  const isUnderstood = requests.length > 0 && answers.length === requests.length;
  return isUnderstood ? answers : [...answers, help()];
}

function needsTool(intent: Intent): intent is ToolIntent {
  return intent.kind !== "help" && intent.kind !== "unknown";
}

function answerRequest(text: string, intent: ToolIntent, activeTools: ReadonlySet<string>): string {
  const firstLine = text.split("\n", 1)[0] ?? "";
  const tools = REQUESTS[intent.kind].tools;
  const missing = tools.filter((tool) => !activeTools.has(tool));
  if (missing.length > 0) return `I cannot do \`${firstLine}\`: ${toolList(missing)} not active.`;
  return `I understood \`${firstLine}\`, but this version of the offline model cannot use ${tools.join(" and ")} yet.`;
}

function toolList(names: readonly string[]): string {
  return names.length === 1
    ? `the tool \`${names[0]}\` is`
    : `the tools ${names.map((name) => `\`${name}\``).join(" and ")} are`;
}

function help(): string {
  const rows = Object.values(REQUESTS).map(({ forms, does }) => `- ${forms}: ${does}`);
  return ["I understand these requests, also several on lines of their own or joined by `then`:", ...rows].join("\n");
}
