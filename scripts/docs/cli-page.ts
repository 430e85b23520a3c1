import type { Flag } from "../../packages/coding-agent/src/cli/flag-table.ts";
import { FLAGS } from "../../packages/coding-agent/src/cli/flags.ts";
import { FOREIGN_FLAGS } from "../../packages/coding-agent/src/cli/foreign-flags.ts";
import { flagsOf, SUBCOMMANDS } from "../../packages/coding-agent/src/commands/subcommands.ts";

/** docs/cli.md, from the tables of the command line. */
export function renderCliPage(): string {
  const groups = Map.groupBy(Object.entries<Flag>(FLAGS), ([, { group }]) => group);
  return `# Command line

This page is written by \`npm run docs\` from the tables in \`packages/coding-agent/src\`.

\`\`\`text
pintle [options] [@file…] [message…]
pintle <subcommand> …
\`\`\`

- All words form one message: \`pintle -p what files are here\`. \`--message\` adds further messages, each sent after the previous answer.
- \`@file\` puts a file (text or image) before the first message. Piped input works the same way.
- A subcommand is recognized only as the first argument. \`--\` ends the options: \`pintle -- doctor\` sends the word.
  A single word that is one letter away from a subcommand (\`pintle session\`) is refused; \`pintle -p session\` sends it.
- \`--name value\` and \`--name=value\` are the same. A value that looks like an option, or an empty one that has no meaning, is an error.
  \`--name=--quiet\` passes a value that looks like an option.
- An unknown option is an error, and nothing is sent. Options of [extensions](extensions.md) exist while the extension is loaded.

## Exit codes

| code | |
|---|---|
| 0 | done |
| 1 | something failed or was lost: the model's answer, a file or directory that cannot be opened, output that could not be written |
| 2 | the command line or the configuration is wrong: an unknown option, a wrong value, no message, a model, provider or session that does not exist or has no key |
| 70 | an extension or custom tool never returned; stderr names it ([extensions](extensions.md#when-something-goes-wrong)) |
| 129, 130, 143 | ended by SIGHUP, SIGINT, SIGTERM |

They are the same in every mode. With \`--mode rpc\`, a program that exits with 2 has written no frame.

## Subcommands

${table(
  ["", ""],
  Object.entries(SUBCOMMANDS).map(([name, row]) => {
    const flags = Object.entries(flagsOf(row)).filter(([flag]) => flag !== "help");
    const more = flags.map(([flag, { help }]) => `\`--${flag}\`: ${help}`).join("; ");
    return [`\`pintle ${name} ${row.words}\``.replace(" `", "`"), more === "" ? row.help : `${row.help} (${more})`];
  }),
)}
\`pintle help <subcommand>\` and \`pintle <subcommand> --help\` print the same in the terminal.

## Options

${[...groups].map(([group, flags]) => `### ${group}\n\n${table(["", ""], flags.map(flagRow))}`).join("\n")}
## Options of other programs

Hosts and scripts written for pi, omp or xcsh may pass options that pintle does not have. They are accepted without effect, and
\`--verbose\` lists them: ${foreign((refusal) => refusal === undefined)}.

An option that restricts what may happen is never ignored silently. These exit with code 2 until they exist:
${foreign((refusal) => refusal !== undefined)}.

An extension may register such an option for itself.
`;
}

function flagRow([name, { short, aliases = [], value, help }]: [string, Flag]): string[] {
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}`, ...aliases.map((alias) => `--${alias}`)];
  const last = value === undefined ? "" : ` ${value}`;
  return [names.map((one) => `\`${one}${last}\``).join(", "), help];
}

function foreign(isMeant: (refusal: string | undefined) => boolean): string {
  return Object.entries(FOREIGN_FLAGS)
    .filter(([, { refusal }]) => isMeant(refusal))
    .map(([name]) => `\`--${name}\``)
    .join(" ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `${line(head).replace(/ {2}/g, " ")}${line(head.map(() => "---"))}${rows.map(line).join("")}`;
}
