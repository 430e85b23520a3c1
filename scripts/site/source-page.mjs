// Pages that show repository files to which docs/ links.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { escapeHtml } from "./render-page.mjs";

/** @param {string} path of a file or folder, from the root of the repository */
export function renderSource(path) {
  const files = statSync(join(root, path)).isDirectory() ? below(path) : [path];
  const blocks = files.map((file) => {
    const text = escapeHtml(readFileSync(join(root, file), "utf8"));
    return `<h2 id="${escapeHtml(file)}">${escapeHtml(file)}</h2>\n<pre tabindex="0"><code>${text}</code></pre>`;
  });
  return `<h1>${escapeHtml(path)}</h1>\n${files.length === 1 && files[0] === path ? blocks[0].replace(/^<h2.*\n/, "") : blocks.join("\n")}`;
}

function below(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? below(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}
