import type { CompletedCommand, CompletedOption, CompletionModel } from "./completion-model.ts";

/** Returns completions for fish. Load them with `pintle completions fish | source`. */
export function fishCompletions({ program, subcommands }: CompletionModel): string {
  const names = Object.keys(subcommands);
  const lines = [
    ...names.map(
      (name) => `complete -c pintle -n __pintle_at_first -f -a ${name} -d ${quoted(subcommands[name]?.help ?? "")}`,
    ),
    ...program.options.map((option) => optionLine(option, "")),
    ...Object.entries(subcommands).flatMap(([name, command]) => commandLines(name, command)),
  ];
  return `# Completions of pintle for fish: pintle completions fish | source
function __pintle_subcommand
    set -l words (commandline -opc)
    if set -q words[2]; and contains -- $words[2] ${names.join(" ")}
        echo $words[2]
    end
end
function __pintle_in
    test "$(__pintle_subcommand)" = "$argv[1]"
end
function __pintle_at_first
    test (count (commandline -opc)) -eq 1
end
function __pintle_files
    for file in (complete -C"'' "(string replace -r '^@' '' -- (commandline -ct)))
        echo @$file
    end
end
complete -c pintle -e
complete -c pintle -n '__pintle_in ""; and string match -q "@*" -- (commandline -ct)' -a '(__pintle_files)'
${lines.join("\n")}
`;
}

function commandLines(name: string, { options, words }: CompletedCommand): string[] {
  const choices = words.length === 0 ? "" : ` -a ${quoted(words.join(" "))}`;
  return [`complete -c pintle -n ${inside(name)} -f${choices}`, ...options.map((option) => optionLine(option, name))];
}

function optionLine({ names, help, value, isValueOptional }: CompletedOption, context: string): string {
  const written = names.map((name) => {
    if (name.startsWith("--")) return `-l ${name.slice(2)}`;
    return name.length === 2 ? `-s ${name.slice(1)}` : `-o ${name.slice(1)}`;
  });
  return `complete -c pintle -n ${inside(context)} ${written.join(" ")}${valuePart(value, isValueOptional)} -d ${quoted(help)}`;
}

function valuePart(value: CompletedOption["value"], isOptional: boolean): string {
  if (value === undefined || isOptional) return "";
  if (value === "file") return " -r -F";
  if (value === "directory") return ` -x -a '(__fish_complete_directories)'`;
  if (value === "free") return " -x";
  return ` -x -a ${quoted(value.choices.join(" "))}`;
}

function inside(context: string): string {
  return quoted(`__pintle_in "${context}"`);
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
