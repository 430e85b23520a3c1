import type { GrammarData } from "@pintle/highlight/page-highlighter";
import {
  BODIES_BLOCK,
  type Bodies,
  type Body,
  GRAMMARS_BLOCK,
  IMAGES_BLOCK,
  INDEX_BLOCK,
  type PageIndex,
  type Row,
  type RowKind,
} from "./page-data.ts";

export interface PageSource {
  index: PageIndex;
  rows: readonly Row[];
  /** Read on demand, because most bodies of a long conversation are never viewed. */
  body<K extends RowKind>(row: number, kind: K): Bodies[K];
  bodyText(row: number): string;
  image(place: number): string | undefined;
  find(id: string): number | undefined;
  /** Throws if the page does not contain it. */
  grammar(language: string): GrammarData;
}

export function readPage(): PageSource {
  const index = JSON.parse(blockText(INDEX_BLOCK)) as PageIndex;
  const bodies = lazyLines(BODIES_BLOCK);
  const images = lazyLines(IMAGES_BLOCK);
  const grammars = lazyLines(GRAMMARS_BLOCK);
  let places: Map<string, number> | undefined;
  return {
    index,
    rows: index.rows,
    // The caller passes the kind that the index states for the row.
    body: <K extends RowKind>(row: number) => JSON.parse(bodies()[row] ?? "null") as Body as Bodies[K],
    bodyText: (row) => bodies()[row] ?? "",
    image: (place) => {
      const line = images()[place];
      return line ? (JSON.parse(line) as string) : undefined;
    },
    find: (id) => {
      places ??= new Map(index.rows.map((row, place) => [row.id, place]));
      return places.get(id);
    },
    grammar(language) {
      const line = grammars().find((one) => one.startsWith(`["${language}"`));
      if (line === undefined) throw new Error(`The page has no grammar of ${language}`);
      const [, data] = JSON.parse(line) as [string, GrammarData];
      return data;
    },
  };
}

function lazyLines(id: string): () => readonly string[] {
  let lines: readonly string[] | undefined;
  return () => {
    lines ??= blockText(id).trim().split("\n");
    return lines;
  };
}

function blockText(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}
