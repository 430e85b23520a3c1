import { basename } from "node:path";
import type { App, Feature } from "../app.ts";
import { notification } from "../screen/notification.ts";
import { shownText } from "../text/shown-text.ts";

/** Tells a user who is in another window that a run has ended or that a question is open, as the setting `terminal.notify` says. */
export const notifying: Feature = (app) => {
  app.onSession((session) => {
    session.on("agent_settled", ({ aborted }) => {
      if (!aborted) notify(app, "has finished");
    });
  });
  app.onQuestion(() => notify(app, "has a question"));
};

function notify(app: App, what: string): void {
  const { cwd, env } = app.options;
  // A terminal that does not report its focus may be in front of the user.
  if (app.hasFocus !== false || app.preferences.notify === "off") return;
  const text = shownText(`pintle ${what} (${basename(cwd)})`);
  app.write(notification(text, app.preferences.notify, env));
}
