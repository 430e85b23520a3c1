/**
 * The highlighted languages: the name of each grammar in highlight.js, with its aliases and file extensions. The page,
 * the export, the documentation site and the terminal all use this list.
 */
const NAMES = {
  bash: "bash sh zsh ksh fish env",
  c: "c h",
  clojure: "clojure clj cljs cljc edn",
  cmake: "cmake cmakelists.txt",
  cpp: "cpp c++ cc cxx hpp hh hxx h++ cuda cu glsl",
  csharp: "csharp cs c#",
  css: "css scss less sass",
  dart: "dart",
  diff: "diff patch",
  dockerfile: "dockerfile docker containerfile",
  elixir: "elixir ex exs",
  erlang: "erlang erl hrl",
  go: "go golang",
  graphql: "graphql gql",
  groovy: "groovy gradle jenkinsfile",
  haskell: "haskell hs",
  http: "http",
  ini: "ini toml conf cfg properties editorconfig",
  java: "java",
  javascript: "javascript js jsx mjs cjs",
  json: "json jsonc json5 jsonl ndjson ipynb",
  julia: "julia jl",
  kotlin: "kotlin kt kts",
  latex: "latex tex",
  lua: "lua",
  makefile: "makefile make mk",
  markdown: "markdown md mdx mkd",
  nginx: "nginx nginxconf",
  nix: "nix",
  objectivec: "objectivec objc m mm",
  ocaml: "ocaml ml mli",
  perl: "perl pl pm",
  php: "php",
  powershell: "powershell ps1 psm1 pwsh",
  protobuf: "protobuf proto",
  python: "python py pyi python3 starlark bzl",
  r: "r",
  ruby: "ruby rb gemfile rakefile podspec",
  rust: "rust rs",
  scala: "scala sbt sc",
  shell: "shell console shell-session shellsession",
  sql: "sql sqlite postgres postgresql mysql",
  swift: "swift",
  typescript: "typescript ts tsx mts cts",
  xml: "xml html htm xhtml svg plist xsl vue svelte",
  yaml: "yaml yml",
} as const satisfies Record<string, string>;

export type LanguageName = keyof typeof NAMES;

const byName = new Map(
  (Object.keys(NAMES) as LanguageName[]).flatMap((language) =>
    NAMES[language].split(" ").map((name) => [name, language] as const),
  ),
);

/** Returns the language with this name, alias or file extension, or undefined if it is not highlighted. */
export function languageByName(name: string): LanguageName | undefined {
  return byName.get(name.toLowerCase());
}

/** Returns the name under which a file's language is listed: `rs` for `src/main.rs`, `makefile` for `Makefile`. */
export function languageOfFile(path: string): string {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  return byName.has(name) ? name : (name.split(".").at(-1) ?? "");
}
