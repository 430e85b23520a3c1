import type { CompletedCommand, CompletionModel, ValueKind } from "./completion-model.ts";

/** Returns completions for bash 3.2 (the version on macOS) and newer. Load them with `source <(pintle completions bash)`. */
export function bashCompletions({ program, subcommands }: CompletionModel): string {
  const contexts: [string, CompletedCommand][] = [["", program], ...Object.entries(subcommands)];
  const named = Object.entries(subcommands).map(
    ([name, { options, words }]) => `    ${name}) options="${optionNames(options)}" words="${words.join(" ")}" ;;\n`,
  );
  return `# Completions of pintle for bash: source <(pintle completions bash)
_pintle_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_pintle_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$@" -- "$cur"))
}
# Bash cuts @file into two words, but replaces both.
_pintle_attachments() {
  local IFS=$'\\n' path
  for path in $(compgen -f -- "$cur"); do
    if [[ -d $path ]]; then
      compopt -o nospace 2>/dev/null
      path+=/
    fi
    COMPREPLY+=("@$path")
  done
}
_pintle() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} subcommand= first=1 options words
  COMPREPLY=()
  # Bash cuts --name=value into three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD > 1)); then
    case \${COMP_WORDS[1]} in
      ${Object.keys(subcommands).join(" | ")}) subcommand=\${COMP_WORDS[1]} first=2 ;;
    esac
  fi
  case $subcommand:$prev in
${contexts.map(([name, command]) => valueCases(name, command)).join("")}  esac
  case $subcommand in
${named.join("")}    *) options="${optionNames(program.options)}" words="${program.words.join(" ")}" ;;
  esac
  if [[ $cur == -* ]]; then
    _pintle_words "$options"
  elif [[ $prev == @ && -z $subcommand ]]; then
    _pintle_attachments
  elif ((COMP_CWORD == first)); then
    _pintle_words "$words"
  fi
}
complete -o default -F _pintle pintle
`;
}

/** Returns the cases that complete the values of options. */
function valueCases(context: string, { options }: CompletedCommand): string {
  return options
    .map(({ names, value, isValueOptional }) => {
      if (value === undefined || isValueOptional) return "";
      const patterns = names.map((name) => `${context}:${name}`).join(" | ");
      return `    ${patterns}) ${complete(value)}; return ;;\n`;
    })
    .join("");
}

function complete(value: ValueKind): string {
  if (value === "file") return "_pintle_files -f";
  if (value === "directory") return "_pintle_files -d";
  if (value === "free") return "compopt +o default 2>/dev/null";
  return `_pintle_words "${value.choices.join(" ")}"`;
}

function optionNames(options: CompletedCommand["options"]): string {
  return options.flatMap(({ names }) => names).join(" ");
}
