import type { CompletedCommand, CompletedOption, CompletionModel, ValueKind } from "./completion-model.ts";

/**
 * Returns completions for zsh. Load them with `source <(pintle completions zsh)`, or as the file `_pintle` in a directory of
 * `fpath`.
 */
export function zshCompletions({ program, subcommands }: CompletionModel): string {
  const cases = Object.entries(subcommands).map(
    ([name, command]) => `      ${name})
        shift words
        ((CURRENT--))
        _arguments -S ${specs(command)} ${quoted(wordSpec(command))}
        return
        ;;
`,
  );
  const described = Object.entries(subcommands).map(([name, { help }]) => quoted(`${name}:${help}`));
  return `#compdef pintle
# Completions of pintle for zsh: source <(pintle completions zsh), or a file _pintle in a directory of fpath
_pintle_words() {
  local -a subcommands=(
    ${described.join("\n    ")}
  )
  if [[ $PREFIX == @* ]]; then
    compset -P @
    _files
  elif ((CURRENT == 2)); then
    _describe subcommand subcommands
  fi
}
_pintle() {
  if ((CURRENT > 2)); then
    case $words[2] in
${cases.join("")}    esac
  fi
  _arguments -S ${specs(program)} '*:message:_pintle_words'
}
if [[ $funcstack[1] == _pintle ]]; then
  _pintle "$@"
else
  compdef _pintle pintle
fi
`;
}

function specs({ options }: CompletedCommand): string {
  return options.flatMap(optionSpecs).join(" ");
}

/** Returns a spec for each name. Using one name excludes the others. */
function optionSpecs({ names, help, isRepeatable, isValueOptional, value }: CompletedOption): string[] {
  const others = names.join(" ");
  const argument = value === undefined ? "" : `${isValueOptional ? "::" : ":"}value:${action(value)}`;
  return names.map((name) => {
    const head = isRepeatable ? `*${name}` : `(${others})${name}`;
    const joint = value === undefined ? "" : name.startsWith("--") ? "=" : "+";
    return quoted(`${head}${joint}[${help.replace(/[[\]\\]/g, "\\$&")}]${argument}`);
  });
}

function action(value: ValueKind): string {
  if (value === "file") return "_files";
  if (value === "directory") return "_files -/";
  if (value === "free") return " ";
  return `(${value.choices.join(" ")})`;
}

function wordSpec({ words }: CompletedCommand): string {
  return words.length === 0 ? "*:word: " : `1:word:(${words.join(" ")})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
