import type { App, Feature } from "../app.ts";
import { jobCount } from "../jobs/job-text.ts";

/** A second press within this time quits. */
const TWICE_MS = 1_000;

/** Ends the program (ctrl+c twice, ctrl+d, /quit) or suspends it (ctrl+z). */
export const leaving: Feature = (app) => {
  let pressedAt = Number.NEGATIVE_INFINITY;
  /** Quits with the second press. */
  const quitOnSecondPress = (key: "quit" | "quitEmpty") => {
    const now = performance.now();
    if (now - pressedAt < TWICE_MS) return app.quit();
    pressedAt = now;
    const [name = ""] = app.keys.keysOf(key);
    app.status.set("quit", `press ${name} again to quit${consequence(app)}`, { weight: 0, isPinned: true });
    setTimeout(() => app.status.set("quit", undefined), TWICE_MS).unref();
  };
  app.keys.on("quit", () => {
    app.editor.setText("");
    quitOnSecondPress("quit");
  });
  app.keys.on("quitEmpty", () => {
    if (!app.editor.isEmpty) return false;
    if (consequence(app) === "") app.quit();
    else quitOnSecondPress("quitEmpty");
    return true;
  });
  app.keys.on("suspend", () => app.suspend());
  app.commands.add({ name: "quit", description: "leave the program", run: () => app.quit() });
};

/** Returns what else the end of the program ends. A gateway keeps its jobs. */
function consequence({ jobs, options }: App): string {
  const count = jobs.list.length;
  return count === 0 || options.attach ? "" : ` and stop ${jobCount(count)}`;
}
