import type { BashExecutionMessage } from "@pintle/client";
import { type FeedItem, finishedItem } from "../feed/feed-item.ts";
import type { Folds } from "../feed/folds.ts";
import { indented } from "../feed/indented.ts";
import { expandHint } from "../keys/expand-hint.ts";
import type { KeyBindings } from "../keys/key-bindings.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_LINES = 20;

interface BashParts {
  theme: Theme;
  folds: Folds;
  keys: Pick<KeyBindings, "keysOf">;
}

type Execution = Pick<BashExecutionMessage, "command" | "output" | "exitCode" | "cancelled">;

/** Shows a user's command and the end of its output. */
export function bashItem(
  { command, output, exitCode, cancelled }: Execution,
  { theme, folds, keys }: BashParts,
): FeedItem {
  const lines = output.trimEnd() === "" ? [] : output.trimEnd().split("\n");
  const fold = lines.length > MAX_LINES ? folds.add(`! ${command}`, () => output) : undefined;
  const failed = cancelled ? [theme.warning("stopped")] : exitCode ? [theme.failure(`exit code ${exitCode}`)] : [];
  const body = () => {
    if (!fold || fold.isOpen) return lines.map(shownText);
    return [
      theme.dim(`… ${lines.length - MAX_LINES} more lines${expandHint(keys)}`),
      ...lines.slice(-MAX_LINES).map(shownText),
    ];
  };
  const head = `${theme.accent("!")} ${theme.bold(shownText(command).replaceAll("\n", " ⏎ "))}`;
  return finishedItem((width) => ["", head, ...indented([...body(), ...failed], width)], fold);
}
