import { decodeEntities, type Token } from "@pintle/page/markdown";
import type { Style, Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";

/** Returns the text of a paragraph with styles for emphasis, code and links. */
export function inlineText(tokens: readonly Token[] | undefined, theme: Theme): string {
  return (tokens ?? []).map((token) => styled(token, theme)).join("");
}

function styled(token: Token, theme: Theme): string {
  const children = "tokens" in token ? token.tokens : undefined;
  const inner = () => inlineText(children, theme);
  switch (token.type) {
    case "strong":
      return perLine(theme.bold, inner());
    case "em":
      return perLine(theme.italic, inner());
    case "del":
      return perLine(theme.strikethrough, inner());
    case "codespan":
      return theme.code(shownText(String(token.text)));
    case "br":
      return "\n";
    case "link":
      return link(inner(), String(token.href), theme);
    case "image":
      return link(shownText(String(token.text)), String(token.href), theme);
    case "escape":
      return shownText(String(token.text));
    case "checkbox":
      return "";
    default:
      return children ? inner() : decoded("text" in token ? String(token.text) : token.raw);
  }
}

/** An entity may stand for a control character. */
function decoded(text: string): string {
  return shownText(decodeEntities(text));
}

function link(text: string, href: string, theme: Theme): string {
  const address = decoded(href);
  const shown = text === "" ? address : text;
  const isAddress = shown === address || `mailto:${shown}` === address;
  return `${perLine(theme.accent, shown)}${isAddress ? "" : theme.dim(` (${address})`)}`;
}

/** Styles end at the end of a line, so that lines can be laid out one by one. */
export function perLine(style: Style, text: string): string {
  return text.split("\n").map(style).join("\n");
}
