// Builds docs/ and the README as a site: HTML that works from a server and from the disk.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../paths.mjs";
import { tableOfContents } from "./contents.mjs";
import { renderLayout } from "./layout.mjs";
import { buildPlayground, PLAYGROUND, PLAYGROUND_HTML, PLAYGROUND_SCRIPTS } from "./playground.mjs";
import { renderMarkdown } from "./render-page.mjs";
import { renderSource } from "./source-page.mjs";

const ASSETS = join(dirname(fileURLToPath(import.meta.url)), "assets");
/** Pages from outside docs/. The README is the first page, and the CHANGELOG is listed next to the pages of docs/. */
const EXTRA = { index: "README.md", changelog: "CHANGELOG.md" };

export function buildSite(site) {
  rmSync(site, { recursive: true, force: true });
  const sources = findSources();
  const names = new Map([...sources].map(([name, source]) => [source, name]));
  const files = new Set();
  const shown = new Set();
  const pages = [...sources].map(([name, source]) => {
    const resolve = (href) => resolveLink(href, { name, source, names, files, shown });
    const page = { name, ...renderMarkdown(readFileSync(join(root, source), "utf8"), resolve) };
    return name === PLAYGROUND ? { ...page, html: page.html + PLAYGROUND_HTML, scripts: PLAYGROUND_SCRIPTS } : page;
  });
  const titles = new Map(pages.map(({ name, title }) => [name, title]));
  const contents = tableOfContents([...sources.keys()]).map(([heading, some]) => {
    return [heading, some.map((name) => ({ name, title: titles.get(name) }))];
  });
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const others = [...shown].map((path) => ({ name: `source/${path}`, title: path, html: renderSource(path) }));
  for (const page of [...pages, ...others])
    write(join(site, `${page.name}.html`), renderLayout({ ...page, contents, version }));
  for (const path of files) copy(join(root, path), join(site, siteFile(path)));
  cpSync(ASSETS, join(site, "assets"), { recursive: true });
  buildPlayground(join(site, "assets"));
  write(join(site, "assets/search-index.js"), searchIndex(pages));
  return pages.length + others.length;
}

/** name of a page → its file in the repository */
function findSources() {
  const docs = readdirSync(join(root, "docs"), { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  const found = docs.filter((path) => path.endsWith(".md")).sort();
  const name = (path) => path.replace(/\.md$/, "").replace(/README$/, "index");
  return new Map([...Object.entries(EXTRA), ...found.map((path) => [name(path), `docs/${path}`])]);
}

/** Resolves a link relative to its page: another page, a copied file, or a repository file that gets a page. */
function resolveLink(href, { name, source, names, files, shown }) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path, hash] = href.split("#");
  const target = posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, "");
  const from = posix.dirname(name);
  const to = (file) => `${posix.relative(from, file)}${hash === undefined ? "" : `#${hash}`}`;
  const page = names.get(target);
  if (page !== undefined) return to(`${page}.html`);
  if (target.startsWith("..") || !existsSync(join(root, target))) return href; // the link check will report it
  if (target.startsWith("docs/")) {
    files.add(target);
    return to(siteFile(target));
  }
  shown.add(target);
  return to(`source/${target}.html`);
}

function siteFile(path) {
  return path.replace(/^docs\//, "");
}

/** A script rather than a data file: browsers load scripts from the disk, but not data. */
function searchIndex(pages) {
  const rows = pages.flatMap(({ name, title, sections }) =>
    sections.map(({ id, heading, text }) => [name, title, id, heading, text]),
  );
  return `globalThis.pintleSearchIndex = ${JSON.stringify(rows)};\n`;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
