import type { Feature } from "../app.ts";

/** `--resume` without a value lets the user choose a session at the start. */
export const opening: Feature = (app) => {
  let isFirst = true;
  app.onReady(async () => {
    if (isFirst && app.options.isPickingSession) await app.commands.run("resume");
    isFirst = false;
  });
};
