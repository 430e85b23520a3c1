import type { AssistantMessage } from "@pintle/ai";
import type { CommandLinePrompt } from "../cli/prompt-words.ts";
import type { AgentSession } from "../session/agent-session.ts";

/** Answers each prompt in turn and prints the last answer's text. Gives the exit code. */
export async function runPrintMode(
  session: AgentSession,
  prompts: readonly CommandLinePrompt[],
  { print, complain }: { print: (text: string) => Promise<unknown>; complain: (text: string) => void },
): Promise<number> {
  for (const prompt of prompts) {
    await session.submit({ text: prompt.text, images: prompt.images }).finished;
    const answer = session.messages.findLast((message) => message.role === "assistant") as AssistantMessage | undefined;
    if (answer?.stopReason === "error" || answer?.stopReason === "aborted") {
      complain(answer.errorMessage ?? answer.stopReason);
      return 1;
    }
    if (prompt === prompts.at(-1) && answer) await print(`${textOf(answer)}\n`);
  }
  return 0;
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}
