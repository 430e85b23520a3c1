import type { App, Feature } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import type { Fold } from "../feed/folds.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";

/** Unfolds content in place while it is on the screen. Content that has scrolled away is shown again in full below. */
export const expanding: Feature = (app) => {
  app.keys.on("expand", () => {
    const fold = app.folds.newest();
    if (!fold) return app.say("Nothing is folded.");
    if (!app.unfold(fold)) showBelow(app, fold);
  });
  app.keys.on("expandAll", () => {
    const { folds } = app;
    folds.areOpen = !folds.areOpen;
    app.status.set("folds", folds.areOpen ? "all unfolded" : undefined, { weight: 80 });
    if (!folds.areOpen) return;
    // Also unfolds what is on the screen, from the bottom up, until an item has scrolled away.
    for (let fold = folds.newest(); fold && app.unfold(fold); fold = folds.newest());
  });
};

function showBelow(app: App, fold: Fold): void {
  fold.isOpen = true;
  app.feed.add(
    finishedItem((width) => [
      "",
      app.theme.bold(shownText(fold.title).replaceAll("\n", " ")),
      ...shownText(fold.text().trimEnd())
        .split("\n")
        .flatMap((line) => wrapped(app.theme.dim(line), width)),
    ]),
  );
}
