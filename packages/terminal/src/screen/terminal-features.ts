import type { Graphics } from "../images/image-drawer.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Row {
  /** The value of TERM_PROGRAM in lower case, or the name of a variable that only this terminal sets. */
  names: readonly string[];
  graphics?: Graphics;
}

/** Terminals that support links, and the image protocol of those that have one. Sixel support is queried instead. */
const TERMINALS: readonly Row[] = [
  { names: ["kitty", "KITTY_WINDOW_ID"], graphics: "kitty" },
  { names: ["ghostty", "GHOSTTY_RESOURCES_DIR"], graphics: "kitty" },
  { names: ["wezterm", "WEZTERM_PANE"], graphics: "kitty" },
  { names: ["warpterminal"], graphics: "kitty" },
  { names: ["iterm.app", "ITERM_SESSION_ID"], graphics: "iterm2" },
  { names: ["vscode", "alacritty", "WT_SESSION"] },
];

export interface TerminalFeatures {
  graphics: Graphics | undefined;
  hasLinks: boolean;
}

/** Returns what the terminal can show, by the variables it sets. Inside tmux or screen they belong to the outer terminal. */
export function terminalFeatures(env: Environment): TerminalFeatures {
  const isMultiplexed = Boolean(env.TMUX) || /^(?:tmux|screen)/.test(env.TERM ?? "");
  const program = env.TERM_PROGRAM?.toLowerCase();
  const row = TERMINALS.find(({ names }) => names.some((name) => name === program || Boolean(env[name])));
  if (isMultiplexed || !row) return { graphics: undefined, hasLinks: false };
  return { graphics: row.graphics, hasLinks: true };
}

/** Returns the text as a link. */
export function hyperlink(text: string, url: string): string {
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}
