/** Wraps a text so that the terminal shows it in a style, and ends only that style behind it. */
export type Style = (text: string) => string;

/** The meaning of a style, not its appearance. */
export interface Theme {
  bold: Style;
  dim: Style;
  italic: Style;
  underline: Style;
  strikethrough: Style;
  accent: Style;
  heading: Style;
  code: Style;
  user: Style;
  success: Style;
  warning: Style;
  failure: Style;
  added: Style;
  removed: Style;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Only the sixteen colours of the terminal's own palette: they fit a light and a dark background. */
export function createTheme(env: Environment): Theme {
  const hasColours = !env.NO_COLOR;
  const colour = (code: number): Style => (hasColours ? sgr(code, 39) : plain);
  const bold = sgr(1, 22);
  return {
    bold,
    dim: sgr(2, 22),
    italic: sgr(3, 23),
    underline: sgr(4, 24),
    strikethrough: sgr(9, 29),
    accent: colour(36),
    heading: hasColours ? (text) => bold(colour(36)(text)) : bold,
    code: colour(33),
    user: colour(34),
    success: colour(32),
    warning: colour(33),
    failure: colour(31),
    added: colour(32),
    removed: colour(31),
  };
}

const plain: Style = (text) => text;

function sgr(on: number, off: number): Style {
  return (text) => (text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`);
}
