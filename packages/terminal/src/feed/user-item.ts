import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { type FeedItem, finishedItem } from "./feed-item.ts";

const MAX_LINES = 40;

/** Shows a message of the user, a long one only up to a limit. */
export function userItem(text: string, theme: Theme): FeedItem {
  return finishedItem((width) => {
    const lines = shownText(text.trimEnd()).split("\n");
    const more = lines.length > MAX_LINES ? [theme.dim(`… ${lines.length - MAX_LINES} more lines`)] : [];
    const inner = Math.max(1, width - 2);
    const shown = lines.slice(0, MAX_LINES).flatMap((line) => wrapped(theme.user(theme.bold(line)), inner));
    const rows = [...shown, ...more].map((line, index) => `${index === 0 ? theme.user("❯") : " "} ${line}`);
    return ["", ...rows.map(theme.row("user"))];
  });
}
