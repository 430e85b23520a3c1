import { onAbort } from "@pintle/ai";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { questionText, readAnswer } from "../trust/trust-texts.ts";

/** Asks the user at a terminal, if their settings say so. The question goes to stderr, because stdout is for the answer. */
export const terminalAsker: TrustAsker = {
  by: "user",
  async ask(request, signal) {
    console.error(questionText(request));
    return readAnswer(await readLine(signal));
  },
};

async function readLine(signal: AbortSignal | undefined): Promise<string | undefined> {
  const reader = Bun.stdin.stream().getReader();
  const leave = () => void reader.cancel().catch(() => {}); // ends a pending read
  const forget = onAbort(signal, leave);
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    return text.split("\n")[0];
  } finally {
    forget();
    reader.releaseLock();
  }
}
