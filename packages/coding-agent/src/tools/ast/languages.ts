import { extname } from "node:path";
import { type Parsers, packageOf } from "@pintle/exec/native";

export interface Language {
  name: string;
  /** The engine's name for the language. */
  engineName: string;
  /** The character that stands in for `$` while a pattern is parsed. */
  expandoChar: string;
  /** Files of one family can be parsed as one another, such as a header as C++ or a script as TypeScript. */
  family: string;
}

/** A language that pintle knows but whose parser this build lacks. */
export interface AbsentLanguage {
  name: string;
  family: string;
  missingPackage: string;
}

interface Row {
  aliases?: string;
  extensions?: string;
  family?: string;
  /** A language that is built into the engine under this name. */
  builtIn?: string;
  expandoChar?: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  typescript: { aliases: "ts", extensions: "ts mts cts", family: "script", builtIn: "TypeScript" },
  tsx: { extensions: "tsx", family: "script", builtIn: "Tsx" },
  javascript: { aliases: "js jsx", extensions: "js mjs cjs jsx", family: "script", builtIn: "JavaScript" },
  html: { aliases: "htm", extensions: "html htm xhtml", builtIn: "Html", expandoChar: "z" },
  css: { aliases: "scss", extensions: "css scss", builtIn: "Css", expandoChar: "_" },
  python: { aliases: "py", extensions: "py pyi" },
  go: { aliases: "golang", extensions: "go" },
  rust: { aliases: "rs", extensions: "rs" },
  java: { extensions: "java" },
  c: { extensions: "c h", family: "c" },
  cpp: { aliases: "c++ cxx", extensions: "cc cpp cxx hh hpp cu cuh ino", family: "c" },
  csharp: { aliases: "c# cs", extensions: "cs" },
  json: { extensions: "json" },
  yaml: { aliases: "yml", extensions: "yaml yml" },
  toml: { extensions: "toml" },
  markdown: { aliases: "md", extensions: "md" },
  bash: { aliases: "sh shell", extensions: "sh bash" },
  lua: { extensions: "lua" },
  php: { extensions: "php" },
  ruby: { aliases: "rb", extensions: "rb" },
  kotlin: { aliases: "kt", extensions: "kt kts" },
  swift: { extensions: "swift" },
  scala: { extensions: "scala" },
  sql: { extensions: "sql" },
  elixir: { extensions: "ex exs" },
  dart: { extensions: "dart" },
  haskell: { extensions: "hs" },
  angular: {},
};

const words = (list = "") => list.split(" ").filter(Boolean);

/** Finds the languages of this build by name or file name. */
export class Languages {
  readonly #parsers: Parsers;
  readonly #byName = new Map<string, string>();
  readonly #byExtension = new Map<string, string>();

  constructor(parsers: Parsers) {
    this.#parsers = parsers;
    for (const [name, { aliases, extensions }] of Object.entries(ROWS)) {
      for (const alias of [name, ...words(aliases)]) this.#byName.set(alias, name);
      for (const extension of words(extensions)) this.#byExtension.set(extension, name);
    }
    for (const [name, { extensions }] of Object.entries(parsers)) {
      for (const extension of extensions) {
        if (!this.#byExtension.has(extension)) this.#byExtension.set(extension, name);
      }
    }
  }

  get supported(): string[] {
    return Object.keys(ROWS)
      .filter((name) => this.#find(name))
      .sort();
  }

  /** Throws an Error whose message the model reads. */
  named(asked: string): Language {
    const name = this.#byName.get(asked.trim().toLowerCase());
    const language = name === undefined ? undefined : this.#find(name);
    if (language) return language;
    const lacking = name === undefined ? "" : ` ${lacksPackage(absent(name))}.`;
    throw new Error(`Unsupported language: ${asked}.${lacking} Supported: ${this.supported.join(", ")}.`);
  }

  /** Returns undefined if the name does not reveal it. */
  ofFile(path: string): Language | AbsentLanguage | undefined {
    const name = this.#byExtension.get(extname(path).slice(1).toLowerCase());
    if (name === undefined) return undefined;
    return this.#find(name) ?? absent(name);
  }

  #find(name: string): Language | undefined {
    const { builtIn, family = name, expandoChar } = ROWS[name] ?? {};
    const parser = this.#parsers[name];
    if (builtIn === undefined && parser === undefined) return undefined;
    return {
      name,
      engineName: builtIn ?? name,
      expandoChar: expandoChar ?? parser?.expandoChar ?? "$",
      family,
    };
  }
}

function absent(name: string): AbsentLanguage {
  return { name, family: ROWS[name]?.family ?? name, missingPackage: packageOf(name) ?? name };
}

export function isAbsent(language: Language | AbsentLanguage): language is AbsentLanguage {
  return "missingPackage" in language;
}

export function lacksPackage({ name, missingPackage }: AbsentLanguage): string {
  return `This build lacks the package ${missingPackage} for ${name}`;
}
