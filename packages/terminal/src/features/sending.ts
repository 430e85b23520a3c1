import type { App, Feature } from "../app.ts";

/** What is written in the editor goes to the session: as a prompt, into the queue of the active run, or as a command. */
export const sending: Feature = (app) => {
  app.editor.onSubmit = (text) => send(app, text, "steer");
  app.keys.on("followUp", () => {
    if (app.editor.isEmpty) return false;
    send(app, app.editor.takeText(), "followUp");
  });
};

function send(app: App, text: string, streamingBehavior: "steer" | "followUp"): void {
  if (text.trim() === "") return;
  const local = app.commands.find(text);
  if (local) {
    Promise.resolve(local.command.run(local.rest)).catch((error) => app.report(error));
    return;
  }
  const { session } = app;
  if (!session) {
    app.say("The session is not ready yet.", "warning");
    return;
  }
  session.prompt(text, session.isIdle ? {} : { streamingBehavior }).catch((error) => app.report(error));
}
