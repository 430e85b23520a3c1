import type { Level } from "../app.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { type FeedItem, finishedItem } from "./feed-item.ts";

/** Shows a message of the terminal, the session or an extension outside the conversation. */
export function noticeItem(text: string, level: Level, theme: Theme): FeedItem {
  const style = { info: theme.dim, warning: theme.warning, error: theme.failure }[level];
  return finishedItem((width) =>
    shownText(text)
      .split("\n")
      .flatMap((line) => wrapped(style(line), width)),
  );
}
