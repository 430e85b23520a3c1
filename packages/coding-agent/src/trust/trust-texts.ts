import type { TrustAnswer, TrustRequest } from "./ask-for-trust.ts";
import { visiblePath } from "./visible-name.ts";

/** For the notice, or the line on stderr, about what was left out. */
export function withheldText(count: number, obstacle?: string): string {
  const items = count === 1 ? "1 item of this project was" : `${count} items of this project were`;
  const rule = "withheld: code of a project is not run without consent";
  if (obstacle === undefined) return `${items} ${rule}. Start with --trust to allow it this time.`;
  return `${items} ${rule}. It cannot be given for a content, because ${obstacle}; --trust allows it this time.`;
}

/** What a person at a terminal reads. */
export function questionText({ project, items }: TrustRequest): string {
  const width = Math.max(...items.map(({ kind }) => kind.length));
  const rows = items.map(({ kind, name, path }) => `  ${kind.padEnd(width)}  ${name}  (${path})`);
  return [
    `This project has parts that can run programs with your rights: ${visiblePath(project)}`,
    ...rows,
    "Load them? y: this time, always: as long as they stay exactly like this, anything else: no  ",
  ].join("\n");
}

/** Nothing but a clear yes is one. */
export function readAnswer(line: string | undefined): TrustAnswer {
  const word = line?.trim().toLowerCase() ?? "";
  const isAlways = word === "always" || word === "a";
  return { isTrusted: isAlways || word === "y" || word === "yes", isRemembered: isAlways };
}
