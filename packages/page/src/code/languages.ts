/** What a highlighter has to know of a language. */
export interface Language {
  /** Alternatives of a regular expression; all of them must take linear time. */
  comments?: readonly string[];
  strings?: readonly string[];
  keywords?: string;
  /** Words that are values: true, null. */
  constants?: string;
  /** Keys, tags, sections: what gives the text its structure. */
  structure?: readonly string[];
  /** The keywords are the same in capitals. */
  ignoresCase?: boolean;
  /** Words with a capital are types, words before `(` are calls. */
  isCode?: boolean;
}

const SLASH = [String.raw`\/\/[^\n]*`, String.raw`\/\*[^]*?(?:\*\/|$)`];
const HASH = [String.raw`#[^\n]*`];
const DOUBLE = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\[^])*'?`;
const TICKS = "`(?:[^`\\\\]|\\\\[^])*`?";
const CHARACTER = String.raw`'(?:[^'\\\n]|\\.)'`;

const JS_WORDS =
  "as async await break case catch class const continue debugger default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace new of private protected public readonly return satisfies set static super switch this throw try type typeof using var void while with yield declare abstract override";

const js: Language = {
  comments: SLASH,
  strings: [DOUBLE, SINGLE, TICKS],
  keywords: JS_WORDS,
  constants: "true false null undefined NaN Infinity",
  isCode: true,
};

const LANGUAGES: Record<string, Language> = {
  js,
  c: {
    comments: SLASH,
    strings: [DOUBLE, CHARACTER],
    structure: [String.raw`^[ \t]*#[ \t]*\w+`],
    keywords:
      "alignas auto break case catch class co_await co_return concept const consteval constexpr continue decltype default delete do else enum explicit export extern final for friend goto if inline int char float double long short signed unsigned bool void mutable namespace new noexcept operator override private protected public register requires return sizeof static static_cast struct switch template this throw try typedef typename union using virtual volatile while",
    constants: "true false NULL nullptr",
    isCode: true,
  },
  java: {
    comments: SLASH,
    strings: [DOUBLE, CHARACTER],
    keywords:
      "abstract as assert async await base bool boolean break byte case catch char class companion const continue data decimal default delegate do double else enum event extends extension final finally float for foreach fun func guard if implements implicit import in init inner instanceof int interface internal is lateinit let lock long mutating namespace native new object open operator out override package params private protected protocol public record ref return sealed short some static string struct super suspend switch synchronized this throw throws trait transient try typealias using val var virtual void volatile when where while yield",
    constants: "true false null nil",
    isCode: true,
  },
  go: {
    comments: SLASH,
    strings: [DOUBLE, TICKS, CHARACTER],
    keywords:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var any bool byte error float32 float64 int int32 int64 rune string uint uint8 uint32 uint64",
    constants: "true false nil iota",
    isCode: true,
  },
  rust: {
    comments: SLASH,
    strings: [DOUBLE, CHARACTER],
    structure: [String.raw`#!?\[[^\]\n]*\]`],
    keywords:
      "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type unsafe use where while bool char f32 f64 i8 i16 i32 i64 isize str u8 u16 u32 u64 usize",
    constants: "true false None Some Ok Err",
    isCode: true,
  },
  py: {
    comments: HASH,
    strings: ['"""[^]*?(?:"""|$)', "'''[^]*?(?:'''|$)", DOUBLE, SINGLE],
    structure: [String.raw`^[ \t]*@[\w.]+`],
    keywords:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield self",
    constants: "True False None",
    isCode: true,
  },
  ruby: {
    comments: HASH,
    strings: [DOUBLE, SINGLE],
    structure: [String.raw`:[a-zA-Z_]\w*`],
    keywords:
      "alias and begin break case class def do else elsif end ensure extend for if in include lambda loop module next not or private proc protected public raise redo require rescue retry return self super then unless until when while yield local function repeat",
    constants: "true false nil",
    isCode: true,
  },
  php: {
    comments: [...SLASH, ...HASH],
    strings: [DOUBLE, SINGLE],
    structure: [String.raw`\$\w+`, String.raw`<\?php|\?>`],
    keywords: `${JS_WORDS} array echo elseif endforeach endif fn foreach global match namespace print require require_once trait use xor`,
    constants: "true false null",
    isCode: true,
  },
  sh: {
    comments: [String.raw`(?<=^|[\s;])#[^\n]*`],
    strings: [DOUBLE, "'[^']*'?"],
    structure: [String.raw`\$\{?[\w@#?!*-]+\}?`, String.raw`(?<=\s)--?[a-zA-Z][\w-]*`],
    keywords:
      "if then else elif fi for in do done while until case esac function select return exit break continue export local readonly set unset source alias cd echo printf sudo",
    constants: "true false",
  },
  json: {
    comments: SLASH,
    structure: [String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`],
    strings: [DOUBLE],
    constants: "true false null",
  },
  yaml: {
    comments: [String.raw`(?<=^|\s)#[^\n]*`],
    structure: [String.raw`^[ \t]*(?:- )*[\w."'/][\w."'/-]{0,80}(?=:(?:\s|$))`, "^---$", String.raw`[&*][\w-]+`],
    strings: [DOUBLE, SINGLE],
    constants: "true false null yes no",
  },
  ini: {
    comments: [String.raw`^[ \t]*[#;][^\n]*`],
    structure: [String.raw`^[ \t]*\[[^\n]*\]`, String.raw`^[ \t]*[\w.-]+(?=[ \t]*=)`],
    strings: [DOUBLE, SINGLE],
    constants: "true false",
  },
  css: {
    comments: [SLASH[1] as string],
    strings: [DOUBLE, SINGLE],
    structure: [String.raw`--[\w-]+|@[\w-]+`, String.raw`[\w-]+(?=\s*:\s)`, String.raw`[.#][a-zA-Z][\w-]*`],
    keywords: "important auto none inherit initial unset block flex grid inline absolute relative fixed sticky",
  },
  html: {
    comments: ["<!--[^]*?(?:-->|$)"],
    structure: [String.raw`<\/?[a-zA-Z][\w:-]*|\/?>`],
    strings: ['"[^"]*"?', String.raw`'[^'\n]*'`],
  },
  sql: {
    comments: [String.raw`--[^\n]*`, SLASH[1] as string],
    strings: [DOUBLE, SINGLE],
    keywords:
      "add all alter and as asc between by case check column constraint create cross database default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right select set table then union unique update using values view when where with integer text varchar boolean timestamp",
    constants: "true false",
    ignoresCase: true,
  },
};

const NAMES: Record<string, string> = Object.fromEntries(
  Object.entries({
    js: "js jsx ts tsx mjs cjs mts cts javascript typescript vue svelte",
    c: "c h cc cpp cxx hpp hh c++ m mm glsl cuda objc",
    java: "java kt kts kotlin swift cs csharp c# scala dart groovy gradle",
    go: "go golang",
    rust: "rs rust",
    py: "py python pyi python3 starlark bzl",
    ruby: "rb ruby lua ex exs elixir julia jl r",
    php: "php",
    sh: "sh bash zsh shell console fish dockerfile makefile make ksh shell-session",
    json: "json jsonc json5 jsonl ndjson ipynb",
    yaml: "yaml yml",
    ini: "ini toml conf cfg properties env editorconfig",
    css: "css scss less",
    html: "html htm xml svg xhtml plist xsl",
    sql: "sql sqlite postgres mysql",
  }).flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
);

export function languageByName(name: string): Language | undefined {
  const known = NAMES[name.toLowerCase()];
  return known === undefined ? undefined : LANGUAGES[known];
}

/** `src/main.rs` → `rs`. Files without an ending are known by their name. */
export function languageOfFile(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return (name.includes(".") ? name.split(".").at(-1) : name)?.toLowerCase() ?? "";
}
