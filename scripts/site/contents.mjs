// The order in which the pages are read. A page of docs/ that no row names stands under the last heading.
export const CONTENTS = [
  ["Start", ["index", "install", "terminal", "command-line-use", "editors", "cli", "settings"]],
  [
    "Embed",
    [
      "embedding",
      "python",
      "serving",
      "cluster",
      "live-page",
      "rpc",
      "clients",
      "dialects",
      "testing-your-host",
      "sdk",
      "versions",
    ],
  ],
  ["Work with it", ["models", "tools", "sessions", "caching", "resources", "export", "mcp", "security"]],
  ["Extend", ["extensions", "custom-tools"]],
  ["Inside", ["architecture", "contributing", "benchmarks", "soak"]],
];

/**
 * @param {string[]} names of all pages, without extension, as `rpc` and `decisions/0001-…`
 * @returns {[heading: string, names: string[]][]}
 */
export function tableOfContents(names) {
  const listed = CONTENTS.map(([heading, wanted]) => [heading, wanted.filter((name) => names.includes(name))]);
  const isListed = new Set(listed.flatMap(([, some]) => some));
  const others = names.filter((name) => !isListed.has(name) && !name.startsWith("decisions/"));
  const decisions = names.filter((name) => name.startsWith("decisions/")).sort();
  return [...listed, ["More", others], ["Decisions", decisions]].filter(([, some]) => some.length > 0);
}
