// The order of the pages. A page of docs/ that no row names is listed under the last heading.
export const CONTENTS = [
  ["Start", ["index", "getting-started", "concepts", "install", "troubleshooting"]],
  ["Use", ["terminal", "command-line-use", "editors", "live-page", "models", "tools", "sessions", "export"]],
  [
    "Embed",
    [
      "embedding",
      "python",
      "sdk",
      "structured-output",
      "rpc",
      "playground",
      "dialects",
      "clients",
      "testing-your-host",
      "coming-from",
    ],
  ],
  [
    "Recipes",
    [
      "recipes/index",
      "recipes/chat-bot",
      "recipes/evaluation",
      "recipes/ci-reviewer",
      "recipes/web-app",
      "recipes/raw-protocol",
      "recipes/sdk",
    ],
  ],
  ["Serve", ["serving", "cluster", "traces"]],
  [
    "Control",
    [
      "permissions",
      "security",
      "budgets",
      "settings",
      "cli",
      "subagents",
      "background-work",
      "caching",
      "first-request",
    ],
  ],
  ["Extend", ["extensions", "custom-tools", "resources", "mcp"]],
  ["Contribute", ["architecture", "contributing", "versions", "benchmarks", "soak", "changelog"]],
];

/**
 * @param {string[]} names of all pages, without extension, such as `rpc` and `decisions/0001-…`
 * @returns {[heading: string, names: string[]][]}
 */
export function tableOfContents(names) {
  const listed = CONTENTS.map(([heading, wanted]) => [heading, wanted.filter((name) => names.includes(name))]);
  const isListed = new Set(listed.flatMap(([, some]) => some));
  const others = names.filter((name) => !isListed.has(name) && !name.startsWith("decisions/"));
  const decisions = names.filter((name) => name.startsWith("decisions/")).sort();
  return [...listed, ["More", others], ["Decisions", decisions]].filter(([, some]) => some.length > 0);
}
