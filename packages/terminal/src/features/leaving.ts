import type { Feature } from "../app.ts";

/** How long a second ctrl+c counts as one. */
const TWICE_MS = 1_000;

/** Ways out: ctrl+c twice, ctrl+d, /quit; ctrl+z for a while. */
export const leaving: Feature = (app) => {
  let pressedAt = Number.NEGATIVE_INFINITY;
  app.keys.on("quit", () => {
    const now = performance.now();
    if (now - pressedAt < TWICE_MS) return app.quit();
    pressedAt = now;
    app.editor.setText("");
    app.status.set("quit", "press ctrl+c again to quit", { weight: 0, isPinned: true });
    setTimeout(() => app.status.set("quit", undefined), TWICE_MS).unref();
  });
  app.keys.on("quitEmpty", () => {
    if (!app.editor.isEmpty) return false;
    app.quit();
    return true;
  });
  app.keys.on("suspend", () => app.suspend());
  app.commands.add({ name: "quit", description: "leave the program", run: () => app.quit() });
};
