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
  /** May start what a project has put there, so it only looks where that does no harm. */
  isConfinedOnly?: boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  ...row("basename dirname echo false nl pwd rev tac true which", {}),
  ...row("cat cut", {}),
  ...row("cmp comm", {}),
  ...row("cksum md5sum sha1sum sha256sum sha512sum", { long: "check", short: "c" }),
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
    isConfinedOnly: true, // what it starts is decided by the configuration of the repository
    subcommands: "describe diff diff-tree log ls-files ls-tree merge-base rev-list rev-parse shortlog show status",
    long: "output ext-diff textconv exec contents no-index",
    short: "O",
  }),
};

function row(names: string, facts: Row): Record<string, Row> {
  return Object.fromEntries(names.split(" ").map((name) => [name, facts]));
}

/** Asked for their version; some of them start what the project names for that. */
const ASKS_VERSION = new Set("bun deno gcc git java javac node python python3 ruby".split(" "));

/**
 * Whether a program is known to change nothing with these arguments: then the words that may name files, of which the caller
 * must see that they lie inside. What is not known is not read-only. `isConfined`: it runs in a sandbox of full strength.
 */
export function readOnlyOperands(argv: readonly string[], isConfined: boolean): string[] | undefined {
  const [name = "", ...words] = argv;
  if (words.length === 1 && words[0] === "--version") return ASKS_VERSION.has(name) && isConfined ? [] : undefined;
  const facts = Object.hasOwn(ROWS, name) ? ROWS[name] : undefined;
  if (facts === undefined || (facts.isConfinedOnly && !isConfined)) return undefined;
  if (facts.subcommands && !facts.subcommands.split(" ").includes(words[0] ?? "")) return undefined;
  const given = facts.subcommands ? words.slice(1) : words;
  const end = given.includes("--") ? given.indexOf("--") : given.length;
  const isOption = (word: string, index: number) => index < end && word.startsWith("-") && word !== "-";
  const options = given.filter(isOption);
  const operands = given.filter((word, index) => index !== end && !isOption(word, index));
  if (options.some((word) => hasEffect(word, facts))) return undefined;
  if (operands.length > (facts.operands ?? Number.POSITIVE_INFINITY)) return undefined;
  return [...operands, ...options.flatMap(valuesIn)];
}

/** What an option may hold that names a file: behind `=`, or behind its letter. */
function valuesIn(option: string): string[] {
  const at = option.indexOf("=");
  if (at !== -1) return [option.slice(at + 1)];
  return option.startsWith("--") ? [] : [option.slice(2)];
}

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
