import type { TokenKind } from "@pintle/highlight";
import { type Background, PALETTES, type Palette, type Role, TERMINAL_PALETTE } from "./palettes.ts";

/** Wraps a text so that the terminal shows it in a style, and ends only that style after it. */
export type Style = (text: string) => string;

/** The values of the setting `terminal.theme`. `auto` follows the background that the terminal reports. */
export const THEME_NAMES = ["auto", "dark", "light", "contrast"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];

/** Names the meaning of each style, not its appearance. */
export interface Theme extends Readonly<Record<Exclude<Role, TokenRole>, Style>> {
  bold: Style;
  dim: Style;
  italic: Style;
  underline: Style;
  strikethrough: Style;
  heading: Style;
  /** Styles a part of source code. */
  token(kind: TokenKind | undefined): Style;
  /** Fills the rest of the row with a background and writes the text on it. Writes only the text without such colors. */
  row(background: RowBackground): Style;
  /** Marks the changed words of a row with that background. */
  changed(background: RowBackground): Style;
  /** Whether the terminal has enough colors for images. */
  readonly hasManyColours: boolean;
  /** Writes the text in any color (`#rrggbb`), optionally with a background color. */
  painted(text: string, colour: string, background?: string): string;
}

/** Colors that only source code has. */
type TokenRole = Exclude<TokenKind, "added" | "removed">;
export type RowBackground = "added" | "removed" | "user";

type Environment = Readonly<Record<string, string | undefined>>;
type Depth = "none" | "16" | "256" | "24 bit";

/** Chooses colors, and chooses again when the terminal has reported its background or the user's setting is known. */
export interface ThemeControl {
  readonly theme: Theme;
  use(name: ThemeName): void;
  onBackground(background: Background): void;
}

export function createTheme(env: Environment): Theme {
  return controlTheme(env).theme;
}

export function controlTheme(env: Environment): ThemeControl {
  const depth = depthOf(env);
  let name: ThemeName = "auto";
  let background = backgroundFrom(env);
  let palette = chosenPalette(name, background, depth);
  const renew = () => {
    palette = chosenPalette(name, background, depth);
  };
  const foreground =
    (role: Role): Style =>
    (text) =>
      styled(text, palette.text[role], depth);
  const bold = sgr("1", "22");
  const theme: Theme = {
    bold,
    dim: (text) => (palette.dim === undefined ? sgr("2", "22")(text) : styled(text, palette.dim, depth)),
    italic: sgr("3", "23"),
    underline: sgr("4", "24"),
    strikethrough: sgr("9", "29"),
    accent: foreground("accent"),
    border: foreground("border"),
    heading: (text) => bold(styled(text, palette.text.accent, depth)),
    code: foreground("code"),
    user: foreground("user"),
    success: foreground("success"),
    warning: foreground("warning"),
    failure: foreground("failure"),
    added: foreground("added"),
    removed: foreground("removed"),
    token: (kind) => (kind === undefined ? plain : foreground(kind)),
    row: (kind) => (text) => {
      const colour = palette.rows?.[kind];
      if (colour === undefined || depth === "none") return text;
      // Erasing first fills the row. After text of full width it would erase the last character.
      return `\u001b[48;${colourCode(colour, depth)}m${ERASE_LINE}${text}\u001b[49m`;
    },
    changed: (kind) => (text) => {
      const [on, off] = [palette.changes?.[kind], palette.rows?.[kind]];
      if (on === undefined || off === undefined || depth === "none") return sgr("4", "24")(text);
      return `\u001b[48;${colourCode(on, depth)}m${text}\u001b[48;${colourCode(off, depth)}m`;
    },
    hasManyColours: depth === "24 bit" || depth === "256",
    painted: (text, colour, background) => {
      const front = styled(text, colour, depth);
      return background === undefined ? front : sgr(`48;${colourCode(background, depth)}`, "49")(front);
    },
  };
  return {
    theme,
    use(given) {
      name = given;
      renew();
    },
    onBackground(given) {
      background = given;
      renew();
    },
  };
}

const ERASE_LINE = "\u001b[K";
const plain: Style = (text) => text;

/** Without a known background, only the terminal's own sixteen colors are sure to be readable. */
function chosenPalette(name: ThemeName, background: Background | undefined, depth: Depth): Palette {
  if (name === "contrast") return PALETTES[background === "light" ? "contrastLight" : "contrastDark"];
  if (depth === "16" || depth === "none") return TERMINAL_PALETTE;
  if (name !== "auto") return PALETTES[name];
  return background === undefined ? TERMINAL_PALETTE : PALETTES[background];
}

function depthOf({ NO_COLOR, COLORTERM = "", TERM = "" }: Environment): Depth {
  if (NO_COLOR) return "none";
  if (/^(?:truecolor|24bit)$/.test(COLORTERM)) return "24 bit";
  return /256color|kitty|ghostty|alacritty|direct/.test(TERM) ? "256" : "16";
}

/** Some terminals set `COLORFGBG=15;0`: the numbers of their text and background colors. */
function backgroundFrom({ COLORFGBG }: Environment): Background | undefined {
  const last = COLORFGBG?.split(";").at(-1);
  if (last === undefined || !/^\d+$/.test(last)) return undefined;
  return last === "7" || last === "15" ? "light" : "dark";
}

/** A color is one of the sixteen codes (`36`) or `#rrggbb`. */
function styled(text: string, colour: string, depth: Depth): string {
  if (depth === "none" || colour === "") return text;
  const code = colour.startsWith("#") ? `38;${colourCode(colour, depth)}` : colour;
  return sgr(code, "39")(text);
}

function colourCode(hex: string, depth: Depth): string {
  const value = Number.parseInt(hex.slice(1), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255] as const;
  return depth === "24 bit" ? `2;${red};${green};${blue}` : `5;${nearest256(red, green, blue)}`;
}

/** Levels of the color cube of terminals with 256 colors. */
const CUBE = [0, 95, 135, 175, 215, 255];

function nearest256(red: number, green: number, blue: number): number {
  const indexOf = (value: number) =>
    CUBE.reduce((best, level, index) => (Math.abs(level - value) < Math.abs(CUBE[best]! - value) ? index : best), 0);
  const [r, g, b] = [indexOf(red), indexOf(green), indexOf(blue)];
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const level = 8 + 10 * grey;
  const distance = (x: number, y: number, z: number) => (x - red) ** 2 + (y - green) ** 2 + (z - blue) ** 2;
  const isGrey = distance(level, level, level) < distance(CUBE[r]!, CUBE[g]!, CUBE[b]!);
  return isGrey ? 232 + grey : 16 + 36 * r + 6 * g + b;
}

function sgr(on: string, off: string): Style {
  return (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
}
