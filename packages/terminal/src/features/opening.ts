import type { Feature } from "../app.ts";

/** Implements `--resume` without a value, which lets the user choose a session at the start. */
export const opening: Feature = (app) => {
  let isFirst = true;
  app.onReady(async () => {
    if (isFirst && app.options.isPickingSession) await app.commands.run("resume");
    isFirst = false;
  });
};
