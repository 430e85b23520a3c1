/** A program that changes nothing as long as it gets none of these options. */
interface Row {
  /** Long options with effects, also when shortened. */
  long?: string;
  /** Letters of short options with effects, alone or in a cluster. */
  short?: string;
  /** Whole words with effects, by how they begin (`find -exec`). */
  words?: string;
  /** More operands than this have an effect. */
  operands?: number;
  /** The first word must be one of these. */
  subcommands?: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  ...row("basename dirname echo false nl pwd rev tac test true which", {}),
  ...row("cat cut", {}),
  ...row("cmp comm diff", { long: "from-file to-file", short: "" }),
  ...row("cksum md5sum sha1sum sha256sum sha512sum", {}),
  ...row("du", { long: "files0-from dereference", short: "LDH" }),
  ...row("egrep fgrep grep", { long: "file dereference-recursive", short: "fR" }),
  ...row("file", { long: "compile files-from magic-file uncompress", short: "CfmzZ" }),
  ...row("find", { words: "-delete -exec -execdir -fls -fprint -ok -okdir -files0-from -L -follow" }),
  ...row("head tail", { long: "follow retry pid", short: "fF" }),
  ...row("ls", { long: "dereference", short: "LH" }),
  ...row("realpath readlink stat uname", {}),
  ...row("rg", { long: "file follow hostname-bin pre search-zip", short: "fLz" }),
  ...row("sort", { long: "compress-program files0-from output temporary-directory random-source", short: "oT" }),
  ...row("tr", {}),
  ...row("tree", { long: "fromfile fromtabfile", short: "oRl" }),
  ...row("uniq", { operands: 1 }),
  ...row("wc", { long: "files0-from" }),
  ...row("git", {
    subcommands:
      "blame describe diff diff-tree log ls-files ls-tree merge-base rev-list rev-parse shortlog show status",
    long: "output ext-diff textconv exec contents no-index",
    short: "O",
  }),
};

function row(names: string, facts: Row): Record<string, Row> {
  return Object.fromEntries(names.split(" ").map((name) => [name, facts]));
}

const ASKS_VERSION = new Set(
  "bun cargo deno gcc git go java javac node npm npx pip pip3 pnpm python python3 ruby rustc tsc yarn".split(" "),
);

/**
 * Whether a program is known to change nothing with these arguments. The second value are the words that may name files: it
 * is for the caller to see that they lie inside. What is not known is not read-only.
 */
export function readOnlyOperands(argv: readonly string[]): string[] | undefined {
  const [name = "", ...words] = argv;
  if (ASKS_VERSION.has(name) && words.length === 1 && words[0] === "--version") return [];
  const facts = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  if (facts === undefined) return undefined;
  if (facts.subcommands && !facts.subcommands.split(" ").includes(words[0] ?? "")) return undefined;
  const operands = facts.subcommands ? words.slice(1) : words;
  if (operands.some((word) => hasEffect(word, facts))) return undefined;
  const files = operands.filter((word) => !isPlainOption(word));
  return files.length > (facts.operands ?? Number.POSITIVE_INFINITY) ? undefined : files;
}

/** Options that name a path are looked at like operands, and never pass as one. */
const isPlainOption = (word: string): boolean => word.startsWith("-") && !/[/~]|\.\./.test(word);

function hasEffect(word: string, { long = "", short = "", words = "" }: Row): boolean {
  if (words.split(" ").some((start) => start !== "" && word.startsWith(start))) return true;
  if (word.startsWith("--")) {
    const name = word.slice(2).split("=")[0] ?? "";
    // Programs accept any unambiguous beginning of an option.
    return (
      name !== "" &&
      long.split(" ").some((option) => option !== "" && (option.startsWith(name) || name.startsWith(option)))
    );
  }
  return word.startsWith("-") && [...word.slice(1)].some((letter) => short.includes(letter));
}
