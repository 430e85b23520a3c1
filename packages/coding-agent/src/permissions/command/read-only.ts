import { READ_ONLY_PROGRAMS, type ReadOnlyProgram, VERSIONED_PROGRAMS } from "./read-only-programs.ts";

/** The words of a read-only program. */
export interface ReadOnlyWords {
  /** May name files: the caller checks that they are inside. */
  operands: string[];
  /** Words read as options. Another version of the program might read one as a file name, so none may be one. */
  options: string[];
}

/**
 * Returns the words of a program that is known to change nothing with these arguments, or undefined. The position of a word
 * is ignored, because programs differ on what `--` ends, whether options may follow operands and which option takes the next
 * word as its value. So every word that begins with `-` must be a listed option in full, wherever it is.
 */
export function readOnlyWords(argv: readonly string[], isConfined: boolean): ReadOnlyWords | undefined {
  const [name = "", ...words] = argv;
  if (words.length === 1 && words[0] === "--version")
    return VERSIONED_PROGRAMS.has(name) && isConfined ? { operands: [], options: [] } : undefined;
  const program = Object.hasOwn(READ_ONLY_PROGRAMS, name) ? READ_ONLY_PROGRAMS[name] : undefined;
  if (program === undefined || (program.isConfinedOnly && !isConfined)) return undefined;
  if (program.takesAnything) return { operands: [], options: [] };
  const given = program.subcommands === undefined ? words : afterSubcommand(words, program);
  if (given === undefined) return undefined;
  const options = given.filter((word) => word.startsWith("-") && word !== "-" && word !== "--");
  const operands = given.filter((word) => !word.startsWith("-") || word === "-");
  if (!options.every((word) => isListed(word, program))) return undefined;
  if (program.hasPlusOptions && operands.some((word) => /^\+(?!\d+$)/.test(word))) return undefined;
  if (program.operands !== undefined && mayHaveMore(given, program.operands)) return undefined;
  return program.isText ? { operands: [], options: [] } : { operands, options };
}

/** Words after `--`, and for some programs after the first operand, are operands even if they begin with `-`. */
function mayHaveMore(words: readonly string[], limit: number): boolean {
  const first = words.findIndex((word) => !word.startsWith("-") || word === "-");
  return words.includes("--") || (first !== -1 && words.length - first > limit);
}

function afterSubcommand(words: readonly string[], program: ReadOnlyProgram): readonly string[] | undefined {
  const at = words.findIndex((word) => !listed(program.globals, word));
  return listed(program.subcommands, words[at] ?? "") ? words.slice(at + 1) : undefined;
}

const listed = (list: string | undefined, word: string): boolean => (list ?? "").split(" ").includes(word);

/** Option values that begin with a dash and are not an option of any program: `-7`, `-10k`, `-u+x`. */
const VALUES = /^-(?:\d+[a-zA-Z]?|[ugoa]*[+=][rwxst]+)$/;

function isListed(word: string, program: ReadOnlyProgram): boolean {
  if (program.words !== undefined) return listed(program.words, word) || VALUES.test(word);
  if (word.startsWith("--")) return listed(program.long, word.slice(2).split("=", 1)[0] ?? "");
  if (/^-\d+$/.test(word) && program.takesNumbers) return true;
  return isCluster(word.slice(1), program);
}

function isCluster(letters: string, program: ReadOnlyProgram): boolean {
  const { flags = "", valued = "", hasDetachedValues = false, hasNumericValues = false } = program;
  for (const [index, letter] of [...letters].entries()) {
    if (valued.includes(letter)) {
      const attached = [...letters].slice(index + 1).join("");
      return attached === "" || (!hasDetachedValues && (!hasNumericValues || /^[+-]?\d/.test(attached)));
    }
    if (!flags.includes(letter)) return false;
  }
  return true;
}
