import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { fuzzyFilter } from "@earendil-works/pi-tui";
import type { AvailableCommand, RpcCore } from "@pintle/client";
import type { LocalCommands } from "../local-commands.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_PATHS = 20;
const MENTION = /(?:^|[\s(])(@"?)([^\s"]*)$/;

interface Sources {
  local: LocalCommands;
  session(): RpcCore | undefined;
  commands(): readonly AvailableCommand[];
}

/** What may follow in the editor: files behind an @, slash commands at the beginning of a message. */
export class Completion implements AutocompleteProvider {
  readonly triggerCharacters = ["@"];
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    row: number,
    column: number,
    { signal, force }: { signal: AbortSignal; force?: boolean },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[row] ?? "").slice(0, column);
    if (row === 0 && /^\/\S*$/.test(before)) return this.#commands(before);
    const mention = MENTION.exec(before);
    if (mention) return this.#paths(`${mention[1]}${mention[2]}`, mention[2]!, signal);
    const word = /\S+$/.exec(before)?.[0];
    return force && word !== undefined ? this.#paths(word, word, signal) : null;
  }

  applyCompletion(lines: string[], row: number, column: number, { value }: AutocompleteItem, prefix: string) {
    const line = lines[row] ?? "";
    // The list is that of an earlier moment when keys come faster than answers.
    if (!line.slice(0, column).endsWith(prefix)) return { lines, cursorLine: row, cursorCol: column };
    const head = line.slice(0, column - prefix.length) + value;
    // A directory is gone on with.
    const gap = value.endsWith("/") || value.endsWith('/"') ? "" : " ";
    const changed = lines.with(row, `${head}${gap}${line.slice(column).trimStart()}`);
    return { lines: changed, cursorLine: row, cursorCol: head.length + gap.length };
  }

  #commands(prefix: string): AutocompleteSuggestions | null {
    const own = this.#sources.local.all.map(({ name, description, hint }) => ({ name, description, hint }));
    const others = this.#sources
      .commands()
      .map(({ name, description, input }) => ({ name, description, hint: input?.hint }));
    const all = new Map([...others, ...own].map((command) => [command.name, command]));
    const fitting = fuzzyFilter([...all.values()], prefix.slice(1), ({ name }) => name);
    const items = fitting.map(({ name, description, hint }) => ({
      value: `/${name}`,
      label: `/${name}`,
      description: shownText([hint, description].filter(Boolean).join(" – ")).replaceAll("\n", " "),
    }));
    return items.length > 0 ? { items, prefix } : null;
  }

  async #paths(prefix: string, query: string, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
    const session = this.#sources.session();
    if (!session) return null;
    const { paths } = await session.completePath(query, { limit: MAX_PATHS, signal });
    const sign = prefix.startsWith("@") ? "@" : "";
    const items = paths.map(({ path }) => ({
      value: /\s/.test(path) ? `${sign}"${path}"` : `${sign}${path}`,
      label: shownText(path),
    }));
    return items.length > 0 ? { items, prefix } : null;
  }
}
