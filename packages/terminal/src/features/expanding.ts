import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Feature } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import { shownText } from "../text/shown-text.ts";

/** What was folded is shown in full below: what has scrolled away cannot be changed any more. */
export const expanding: Feature = (app) => {
  app.keys.on("expand", () => {
    const fold = app.folds.take();
    if (!fold) return app.say("Nothing is folded.");
    app.feed.add(
      finishedItem((width) => [
        "",
        app.theme.bold(shownText(fold.title).replaceAll("\n", " ")),
        ...shownText(fold.text)
          .split("\n")
          .flatMap((line) => wrapTextWithAnsi(app.theme.dim(line), width)),
      ]),
    );
  });
};
