import type { Feature } from "../app.ts";

/** What a start asks for besides a prompt: `--resume` without a value lets the user choose a session first. */
export const opening: Feature = (app) => {
  let isFirst = true;
  app.onReady(async () => {
    if (isFirst && app.options.isPickingSession) await app.commands.run("resume");
    isFirst = false;
  });
};
