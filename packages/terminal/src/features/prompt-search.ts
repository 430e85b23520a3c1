import type { App, Feature } from "../app.ts";
import { pick } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_LABEL = 500;

/** Searches sent messages, newest first; the chosen message is put into the editor. */
export const promptSearch: Feature = (app) => {
  app.keys.on("searchHistory", () => {
    search(app).catch((error) => app.report(error));
  });
};

async function search(app: App): Promise<void> {
  const sent = [...new Set(app.editor.sentMessages.toReversed())];
  if (sent.length === 0) return app.say("Nothing has been sent yet.");
  const items = sent.map((text, index) => ({
    value: String(index),
    label: shownText(text.slice(0, MAX_LABEL)).replaceAll("\n", " ⏎ "),
  }));
  const value = await pick(app, { title: [app.theme.bold("Sent messages")], items });
  const text = value === undefined ? undefined : sent[Number(value)];
  if (text !== undefined) app.editor.setText(text);
}
