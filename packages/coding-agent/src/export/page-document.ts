import { BODIES_BLOCK, GRAMMARS_BLOCK, IMAGES_BLOCK, INDEX_BLOCK, type PageIndex } from "@pintle/page";
import { bundlePage } from "@pintle/page/bundle" with { type: "macro" };
import type { PageContent } from "./page-content.ts";

const { script, style, scriptHash, styleHash, grammars } = bundlePage();

/**
 * How many characters are encoded at once. One buffer per line would be slow, and one for everything would be too
 * large.
 */
const CHUNK_CHARACTERS = 1 << 20;

/** Yields the page in chunks. Session content is never markup: it is stored in blocks that no browser runs. */
export function* pageChunks(content: PageContent): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting = "";
  for (const piece of pieces(content)) {
    waiting += piece;
    if (waiting.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(waiting);
    waiting = "";
  }
  if (waiting !== "") yield encoder.encode(waiting);
}

function* pieces({ index, bodies, images, languages }: PageContent): Generator<string> {
  yield head(index);
  yield* dataBlock(INDEX_BLOCK, [JSON.stringify(index)]);
  yield* dataBlock(BODIES_BLOCK, bodies);
  yield* dataBlock(
    IMAGES_BLOCK,
    images.map((image) => JSON.stringify(image)),
  );
  const needed = Object.entries(grammars).filter(([language]) => languages.has(language));
  yield* dataBlock(
    GRAMMARS_BLOCK,
    needed.map(([language, grammar]) => `[${JSON.stringify(language)},${grammar}]`),
  );
  yield `<script>${script}</script>\n</body>\n</html>\n`;
}

function head(index: PageIndex): string {
  const title = escapeHtml(index.session.name ?? `Session ${index.session.id}`);
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    // The script creates elements and text nodes, never markup. These two directives make the browser enforce that.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${escapeHtml(index.generator)}">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="no-script">${title}: this page needs JavaScript to show its conversation. Its script is part of the page and needs no network.</p></noscript>
`;
}

/** Yields lines of JSON. They contain no `<`, so nothing in them can end the block. */
function* dataBlock(id: string, lines: readonly string[]): Generator<string> {
  yield `<script type="application/json" id="${id}">\n`;
  for (const line of lines) yield `${line.replaceAll("<", "\\u003c")}\n`;
  yield "</script>\n";
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

export function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
