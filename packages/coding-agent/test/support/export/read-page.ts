import { readFileSync } from "node:fs";
import type { Body, PageIndex } from "@pintle/page";

export interface ReadPage {
  html: string;
  index: PageIndex;
  bodies: Body[];
  images: string[];
}

/** Returns what a browser would find in the inert blocks of an exported page. */
export function readPageFile(path: string): ReadPage {
  const html = readFileSync(path, "utf8");
  const block = (id: string) =>
    new RegExp(`<script type="application/json" id="${id}">\n([^<]*)</script>`).exec(html)?.[1];
  const lines = (id: string) =>
    (block(id) ?? "")
      .trim()
      .split("\n")
      .filter((line) => line !== "");
  return {
    html,
    index: JSON.parse(block("pintle-index") ?? "null"),
    bodies: lines("pintle-bodies").map((line) => JSON.parse(line)),
    images: lines("pintle-images").map((line) => JSON.parse(line)),
  };
}
