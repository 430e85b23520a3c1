import type { BashExecutionMessage } from "@pintle/client";
import { type FeedItem, finishedItem } from "../feed/feed-item.ts";
import type { Folds } from "../feed/folds.ts";
import { indented } from "../feed/indented.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_LINES = 20;

type Execution = Pick<BashExecutionMessage, "command" | "output" | "exitCode" | "cancelled">;

/** Shows a command of the user and the end of its output. */
export function bashItem({ command, output, exitCode, cancelled }: Execution, theme: Theme, folds: Folds): FeedItem {
  const lines = output.trimEnd() === "" ? [] : output.trimEnd().split("\n");
  const fold = lines.length > MAX_LINES ? folds.add(`! ${command}`, () => output) : undefined;
  const failed = cancelled ? [theme.warning("stopped")] : exitCode ? [theme.failure(`exit code ${exitCode}`)] : [];
  const body = () => {
    if (!fold || fold.isOpen) return lines.map(shownText);
    return [theme.dim(`… ${lines.length - MAX_LINES} more lines`), ...lines.slice(-MAX_LINES).map(shownText)];
  };
  const head = `${theme.accent("!")} ${theme.bold(shownText(command).replaceAll("\n", " ⏎ "))}`;
  return finishedItem((width) => ["", head, ...indented([...body(), ...failed], width)], fold);
}
