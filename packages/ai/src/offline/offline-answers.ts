import { REQUESTS } from "./offline-requests.ts";
import { quote } from "./offline-wording.ts";

export const INTRODUCTION =
  "I am pintle's offline model, a fixed set of rules and not an AI; for a real model, set the variable of an API key " +
  "such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or describe one in `~/.pintle/models.json`.";

export const IMAGE_ANSWER = "I cannot see the image: I only read text.";

/** Used when it is asked to continue after it has answered. */
export const NOTHING_LEFT = "I have nothing left to do: I have no rule for what is still open.";

export function missingTool(request: string, tool: string): string {
  return `I cannot do ${quote(request)}: the tool ${quote(tool)} is not active.`;
}

export function help(): string {
  const rows = Object.values(REQUESTS).map(({ forms, does }) => `- ${forms}: ${does}`);
  return ["I understand these requests, including several on separate lines or joined by `then`:", ...rows].join("\n");
}
