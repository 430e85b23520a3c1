import type { App, Feature } from "../app.ts";
import { editInProgram } from "../screen/user-editor.ts";

/** Opens the message in the user's own editor. */
export const externalEditor: Feature = (app) => {
  app.keys.on("externalEditor", () => {
    edit(app).catch((error) => app.report(error));
  });
};

async function edit(app: App): Promise<void> {
  const text = await editInProgram(app, { name: "message.md", text: app.editor.fullText, what: "the message" });
  if (text !== undefined) app.editor.setText(text.trimEnd());
}
