// The frame around every page. Pages load only files of the site, and the content security policy enforces it.
import { escapeHtml } from "./render-page.mjs";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** Fewer headings need no outline. */
const LEAST_HEADINGS = 3;

/**
 * @param {{
 *   name: string,
 *   title: string,
 *   html: string,
 *   headings?: { id: string, text: string, level: number }[],
 *   contents: [string, { name: string, title: string }[]][],
 *   version: string,
 *   scripts?: string[],
 * }} page
 */
export function renderLayout({ name, title, html, headings = [], contents, version, scripts = [] }) {
  const up = "../".repeat(name.split("/").length - 1);
  const list = contents.map(([heading, pages]) => section(heading, pages, name, up)).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title === "pintle" ? title : `${title} · pintle`)}</title>
<script src="${up}assets/theme.js"></script>
<link rel="stylesheet" href="${up}assets/site.css">
<script src="${up}assets/site.js" defer></script>
${scripts.map((script) => `<script src="${up}${script}" defer></script>`).join("\n")}
</head>
<body data-up="${up}">
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${up}index.html">pintle <small>${version}</small></a>
<label class="search"><span class="hidden">Search</span><input type="search" placeholder="Search  /" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results"></label>
<button type="button" class="theme" aria-label="Light or dark">◐</button>
</header>
<div id="results" role="listbox" aria-label="Results" hidden></div>
<nav aria-label="Pages">
<details open><summary>Pages</summary>
${list}
</details>
</nav>
<main id="content">
${html}
${neighbours(contents, name, up)}
</main>
${outline(headings)}
</body>
</html>
`;
}

function section(heading, pages, current, up) {
  const rows = pages.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li><a href="${up}${name}.html"${mark}>${escapeHtml(title)}</a></li>`;
  });
  return `<h2>${heading}</h2>\n<ul>\n${rows.join("\n")}\n</ul>`;
}

/** Links to the pages before and after this one, in the order of the contents. */
function neighbours(contents, current, up) {
  const pages = contents.flatMap(([, some]) => some);
  const at = pages.findIndex(({ name }) => name === current);
  if (at === -1) return "";
  const link = (page, label, rel) =>
    page === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${up}${page.name}.html"><small>${label}</small>${escapeHtml(page.title)}</a>`;
  return `<footer class="neighbours">${link(pages[at - 1], "Previous", "prev")}${link(pages[at + 1], "Next", "next")}</footer>`;
}

/** The headings of the page, shown next to it where there is room. */
function outline(headings) {
  if (headings.length < LEAST_HEADINGS) return "";
  const rows = headings.map(
    ({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside aria-labelledby="outline-title"><p id="outline-title">On this page</p>\n<ul>\n${rows.join("\n")}\n</ul></aside>`;
}
