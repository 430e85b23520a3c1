// What an archive may contain. An unexpected file is an error, and so is a missing one.

/** name → allowed paths, and required ones */
const RULES = [
  {
    name: /^pintle$/,
    allowed: [/^bin\/[a-z-]+\.cjs$/, /^lib\/[\w.-]+\.js$/, /^types\/.+\.d\.ts$/],
    required: [
      "bin/pintle.cjs",
      "lib/index.js",
      "types/coding-agent/index.d.ts",
      "README.md",
      "THIRD-PARTY-NOTICES.txt",
    ],
  },
  {
    name: /^@pintle\/(linux|darwin|win32)-/,
    allowed: [/^bin\/pintle(\.exe)?$/, /^bin\/native\/rg(\.exe)?$/, /^bin\/native\/ast-grep\/[a-z]+\.(so|node|json)$/],
    required: [/^bin\/pintle/, /^bin\/native\/rg/, "bin/native/ast-grep/engine.node", "THIRD-PARTY-NOTICES.txt"],
  },
  {
    name: /^@pintle\/conformance$/,
    allowed: [/^dist\/cli\.js$/],
    required: ["dist/cli.js", "README.md"],
  },
  {
    name: /^@pintle\/[a-z]+$/,
    allowed: [/^dist\/.+(\.d\.ts|\.js|\/package\.json)$/],
    required: ["dist/index.js", /^dist\/(wire\/)?index\.d\.ts$/, "README.md"],
  },
];
const EVERYWHERE = ["package.json", "LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt"];
const NEVER = /(^|\/)(src|test|tests|node_modules|\.[^/]+)(\/|$)|\.test\.|(?<!\.d)\.ts$|\.map$/;

/**
 * @param {{ name: string, paths: string[] }} packed
 * @returns {string[]} problems
 */
export function checkContents({ name, paths }) {
  const rule = RULES.find((candidate) => candidate.name.test(name));
  if (!rule) return [`${name}: no rule says what may be in it`];
  const isAllowed = (path) => EVERYWHERE.includes(path) || rule.allowed.some((pattern) => pattern.test(path));
  const isThere = (wanted) => paths.some((path) => (typeof wanted === "string" ? path === wanted : wanted.test(path)));
  return [
    ...paths
      .filter((path) => !isAllowed(path) || NEVER.test(path))
      .map((path) => `${name}: ${path} does not belong there`),
    ...["package.json", "LICENSE", ...rule.required]
      .filter((wanted) => !isThere(wanted))
      .map((wanted) => `${name}: ${wanted instanceof RegExp ? wanted.source : wanted} is missing`),
  ];
}
