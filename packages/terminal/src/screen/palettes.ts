import type { TokenKind } from "@pintle/highlight";

export type Background = "dark" | "light";

/** The meaning of a color for its text. */
export type Role =
  | "accent"
  | "border"
  | "code"
  | "user"
  | "success"
  | "warning"
  | "failure"
  | "added"
  | "removed"
  | TokenKind;

type RowColours = Readonly<Record<"added" | "removed" | "user", string>>;

export interface Palette {
  /** A code of the sixteen colors, `#rrggbb`, or nothing for the color of plain text. */
  text: Readonly<Record<Role, string>>;
  /** The color of less important text; undefined for the terminal's own faint style. */
  dim?: string;
  /** Backgrounds of whole rows, and of the changed words in them. */
  rows?: RowColours;
  changes?: RowColours;
}

/** The terminal's own sixteen colors, which its user has chosen for the background. */
export const TERMINAL_PALETTE: Palette = {
  text: {
    accent: "36",
    border: "90",
    code: "33",
    user: "34",
    success: "32",
    warning: "33",
    failure: "31",
    added: "32",
    removed: "31",
    comment: "90",
    string: "32",
    keyword: "35",
    number: "33",
    type: "36",
    call: "34",
    structure: "34",
    constant: "33",
  },
};

const ROWS_ON_BLACK: RowColours = { added: "#003300", removed: "#3d0000", user: "#262626" };
const CHANGES_ON_BLACK: RowColours = { added: "#005f00", removed: "#870000", user: "#262626" };
const ROWS_ON_WHITE: RowColours = { added: "#e4ffe4", removed: "#ffe9e9", user: "#eeeeee" };
const CHANGES_ON_WHITE: RowColours = { added: "#afffaf", removed: "#ffc0c0", user: "#eeeeee" };

export const PALETTES = {
  dark: {
    text: {
      accent: "#7dcfff",
      border: "#565f89",
      code: "#e0af68",
      user: "#7aa2f7",
      success: "#9ece6a",
      warning: "#e0af68",
      failure: "#f7768e",
      added: "#9ece6a",
      removed: "#f7768e",
      comment: "#7f88ab",
      string: "#9ece6a",
      keyword: "#bb9af7",
      number: "#ff9e64",
      type: "#2ac3de",
      call: "#7aa2f7",
      structure: "#73daca",
      constant: "#ff9e64",
    },
    dim: "#8a92b2",
    rows: { added: "#1f3327", removed: "#3b2230", user: "#262a3d" },
    changes: { added: "#2f5f3c", removed: "#6d2f44", user: "#262a3d" },
  },
  light: {
    text: {
      accent: "#006c86",
      border: "#a8aecb",
      code: "#8f5e15",
      user: "#2e5fb7",
      success: "#33702e",
      warning: "#8f5e15",
      failure: "#b3264a",
      added: "#33702e",
      removed: "#b3264a",
      comment: "#6b7085",
      string: "#33702e",
      keyword: "#7847bd",
      number: "#a3480a",
      type: "#006c86",
      call: "#2e5fb7",
      structure: "#0f6b5e",
      constant: "#a3480a",
    },
    dim: "#636879",
    rows: { added: "#dff3e1", removed: "#fbe1e6", user: "#e9ebf3" },
    changes: { added: "#aadfb1", removed: "#f3b3c0", user: "#e9ebf3" },
  },
  contrastDark: contrast("dark"),
  contrastLight: contrast("light"),
} as const satisfies Record<string, Palette>;

/** No faint text, and only colors that differ strongly from the background. */
function contrast(background: Background): Palette {
  const isDark = background === "dark";
  const pick = (dark: string, light: string) => (isDark ? dark : light);
  const green = pick("#5fff5f", "#005f00");
  const red = pick("#ff8787", "#af0000");
  const yellow = pick("#ffff5f", "#5f3f00");
  const blue = pick("#87d7ff", "#00008f");
  return {
    text: {
      accent: pick("#5fffff", "#005f5f"),
      border: pick("#ffffff", "#000000"),
      code: yellow,
      user: blue,
      success: green,
      warning: yellow,
      failure: red,
      added: green,
      removed: red,
      comment: pick("#d0d0d0", "#3a3a3a"),
      string: green,
      keyword: pick("#ffafff", "#5f005f"),
      number: yellow,
      type: blue,
      call: blue,
      structure: pick("#5fffff", "#005f5f"),
      constant: yellow,
    },
    dim: "",
    rows: isDark ? ROWS_ON_BLACK : ROWS_ON_WHITE,
    changes: isDark ? CHANGES_ON_BLACK : CHANGES_ON_WHITE,
  };
}
