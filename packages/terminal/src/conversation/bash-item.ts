import type { BashExecutionMessage } from "@pintle/client";
import { type FeedItem, finishedItem } from "../feed/feed-item.ts";
import type { Folds } from "../feed/folds.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { indented } from "../tools/result-lines.ts";

const MAX_LINES = 20;

type Execution = Pick<BashExecutionMessage, "command" | "output" | "exitCode" | "cancelled">;

/** A command of the user and the end of its output. */
export function bashItem({ command, output, exitCode, cancelled }: Execution, theme: Theme, folds: Folds): FeedItem {
  const lines = output.trimEnd() === "" ? [] : output.trimEnd().split("\n");
  if (lines.length > MAX_LINES) folds.add({ title: `! ${command}`, text: output });
  const more = lines.length > MAX_LINES ? [theme.dim(`… ${lines.length - MAX_LINES} more lines`)] : [];
  const failed = cancelled ? [theme.warning("stopped")] : exitCode ? [theme.failure(`exit code ${exitCode}`)] : [];
  const shown = lines.slice(-MAX_LINES).map(shownText);
  return finishedItem((width) => [
    "",
    `${theme.accent("!")} ${theme.bold(shownText(command).replaceAll("\n", " ⏎ "))}`,
    ...indented([...more, ...shown, ...failed], width),
  ]);
}
