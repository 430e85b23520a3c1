import type { App, Feature } from "../app.ts";

const TWICE_MS = 600;

/** Escape aborts the active run; without a run, escape twice goes back in the tree. */
export const running: Feature = (app) => {
  let escapedAt = Number.NEGATIVE_INFINITY;
  app.keys.on("abort", () => {
    if (app.editor.isShowingCompletions) return false;
    const { session } = app;
    if (session && !session.isIdle) {
      abortRun(app);
      return true;
    }
    const now = performance.now();
    const isTwice = now - escapedAt < TWICE_MS;
    escapedAt = isTwice ? Number.NEGATIVE_INFINITY : now;
    if (isTwice && app.editor.isEmpty) app.commands.run("tree").catch((error) => app.report(error));
    return true;
  });
  app.keys.on("takeBackQueue", () => takeBackQueue(app));
  app.commands.add({
    name: "continue",
    description: "continue a run that was aborted or cut off",
    run: () => app.session?.continueRun(),
  });
};

/** Aborts the run. Queued messages return to the editor, so that the next run does not get them unseen. */
export function abortRun(app: App): void {
  takeBackQueue(app);
  app.session?.abortBash().catch((error) => app.report(error));
  app.session?.abort().catch((error) => app.report(error));
}

function takeBackQueue(app: App): void {
  const take = async () => {
    const queue = await app.session?.clearQueue();
    const texts = queue ? [...queue.steering, ...queue.followUp] : [];
    if (texts.length === 0) return;
    app.editor.setText([...texts, ...(app.editor.isEmpty ? [] : [app.editor.fullText])].join("\n\n"));
    app.redraw();
  };
  take().catch((error) => app.report(error));
}
