import type { Feature } from "../app.ts";

/** A second ctrl+c within this time quits. */
const TWICE_MS = 1_000;

/** Ends the program (ctrl+c twice, ctrl+d, /quit) or suspends it (ctrl+z). */
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
