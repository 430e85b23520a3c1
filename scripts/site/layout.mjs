// The frame around every page. Nothing is loaded but the files of the site, and the policy says so to the browser.
import { escapeHtml } from "./render-page.mjs";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/**
 * @param {{ name: string, title: string, html: string, contents: [string, { name: string, title: string }[]][], version: string }} page
 */
export function renderLayout({ name, title, html, contents, version }) {
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
</main>
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
