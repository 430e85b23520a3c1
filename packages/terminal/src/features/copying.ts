import type { App, Feature } from "../app.ts";

/** Implements `/copy`, which copies the last answer, or with `code` its last code block. */
export const copying: Feature = (app) => {
  app.commands.add({
    name: "copy",
    description: "copy the last answer, or the last code block in it",
    hint: "[code]",
    run: (rest) => copy(app, rest),
  });
};

async function copy(app: App, what: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  if (what !== "" && what !== "code") return app.say("Use /copy or /copy code.", "warning");
  const { text } = await session.getLastAssistantText();
  if (text === null || text.trim() === "") return app.say("There is no answer to copy yet.", "warning");
  if (what === "") return app.copy(text);
  const code = lastCodeBlock(text);
  if (code === undefined) return app.say("The last answer has no code block. /copy copies all of it.", "warning");
  return app.copy(code);
}

/** Returns the content of the last fenced block, or undefined if there is none. An unclosed block ends with the text. */
export function lastCodeBlock(text: string): string | undefined {
  let fence: string | undefined;
  let lines: string[] = [];
  let last: string | undefined;
  for (const line of text.split("\n")) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) {
      if (marker === undefined) continue;
      fence = marker;
      lines = [];
    } else if (marker?.startsWith(fence) && line.trim() === marker) {
      last = lines.join("\n");
      fence = undefined;
    } else lines.push(line);
  }
  return fence === undefined ? last : lines.join("\n");
}
