// Renders one page of docs/ as the main part of an HTML page, and extracts what the search may find in it. Runs with Bun, whose
// Markdown renderer it uses.
import { highlight } from "../../packages/highlight/src/highlighter.ts";

/**
 * @param {string} text Markdown
 * @param {(href: string) => string} resolve what a link of the source becomes
 */
export function renderMarkdown(text, resolve) {
  const rendered = Bun.markdown.html(text.replaceAll(/^<!--.*?-->$/gms, ""), {
    headings: { ids: true },
    noHtmlBlocks: true,
    noHtmlSpans: true,
  });
  const html = rendered
    .replaceAll(/(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)"/g, (_, before, href) => `${before}${resolve(href)}"`)
    .replaceAll(
      /<(h[2-6]) id="([^"]+)">/g,
      '<$1 id="$2"><a class="anchor" href="#$2" aria-label="Link to this heading">#</a>',
    )
    .replaceAll("<th></th>", "<td></td>") // a header cell needs a name
    // Wide ones scroll by themselves, also with the keyboard.
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll(
      /<pre><code class="language-([^"]+)">(.*?)<\/code><\/pre>/gs,
      (_, language, code) => `<pre><code>${coloured(unescaped(code), language)}</code></pre>`,
    )
    .replaceAll("<pre>", '<pre tabindex="0">');
  return { html, title: titleOf(rendered), headings: headingsOf(rendered), sections: sectionsOf(rendered) };
}

function coloured(code, language) {
  return highlight(code, language)
    .map(([kind, text]) => (kind ? `<span class="t-${kind}">${escapeHtml(text)}</span>` : escapeHtml(text)))
    .join("");
}

function titleOf(html) {
  return plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? "");
}

function headingsOf(html) {
  const found = html.matchAll(/<h([23]) id="([^"]+)">(.*?)<\/h\1>/gs);
  return [...found].map(([, level, id, text]) => ({ id, text: plain(text), level: Number(level) }));
}

/** The text under each heading; the first one is that of the page. */
function sectionsOf(html) {
  return html
    .split(/(?=<h[1-4] id=")/)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [, id = "", heading = ""] = /^<h[1-4] id="([^"]+)">(.*?)<\/h[1-4]>/s.exec(part) ?? [];
      return { id, heading: plain(heading), text: plain(part.replace(/^<h[1-4].*?<\/h[1-4]>/s, "")) };
    });
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };

function plain(html) {
  return unescaped(html.replaceAll(/<[^>]+>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim();
}

function unescaped(html) {
  return html.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity]);
}

export function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
