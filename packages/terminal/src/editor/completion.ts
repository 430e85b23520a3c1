import type { AvailableCommand, RpcCore } from "@pintle/client";
import type { CompletedImage } from "../images/completed-image.ts";
import { fuzzyFilter } from "../lists/fuzzy.ts";
import type { LocalCommands } from "../local-commands.ts";
import { shownText } from "../text/shown-text.ts";
import type { CompletionSource, Suggestions } from "./completion-menu.ts";

const MAX_PATHS = 20;
const MENTION = /(?:^|[\s(])(@"?)([^\s"]*)$/;

interface Sources {
  local: LocalCommands;
  session(): RpcCore | undefined;
  commands(): readonly AvailableCommand[];
  /** Returns what is known about an image file, or undefined for any other file. */
  image(path: string): Promise<CompletedImage | undefined>;
}

/** Suggests files after an @ and slash commands at the start of a message. */
export class Completion implements CompletionSource {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async suggest(
    before: string,
    { signal, isForced }: { signal: AbortSignal; isForced: boolean },
  ): Promise<Suggestions | undefined> {
    if (/^\/\S*$/.test(before)) return this.#commands(before);
    const mention = MENTION.exec(before);
    if (mention) return this.#paths(`${mention[1]}${mention[2]}`, mention[2]!, signal);
    const word = /\S+$/.exec(before)?.[0];
    return isForced && word !== undefined ? this.#paths(word, word, signal) : undefined;
  }

  #commands(prefix: string): Suggestions | undefined {
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
    return items.length > 0 ? { items, prefix } : undefined;
  }

  async #paths(prefix: string, query: string, signal: AbortSignal): Promise<Suggestions | undefined> {
    const session = this.#sources.session();
    if (!session) return undefined;
    const { paths } = await session.completePath(query, { limit: MAX_PATHS, signal });
    const sign = prefix.startsWith("@") ? "@" : "";
    const sorted = paths.toSorted((a, b) => Number(b.isDirectory) - Number(a.isDirectory));
    const items = await Promise.all(
      sorted.map(async ({ path }) => {
        const image = await this.#sources.image(path);
        const value = /\s/.test(path) ? `${sign}"${path}"` : `${sign}${path}`;
        return { value, label: shownText(path), ...(image && { description: image.facts, preview: image.preview }) };
      }),
    );
    return items.length > 0 ? { items, prefix } : undefined;
  }
}
