import { basename } from "node:path";
import type { Redactor } from "@pintle/ai/secrets";
import { systemDisk } from "@pintle/foundation";
import type { OutOfContext, PageIndex, Row } from "@pintle/page";
import { Durations, ImageTable, mentionedLanguages, outOfContext, type Reading, readEntry } from "@pintle/page/reading";
import { BlobStore, type SessionManager } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { facetsOf } from "../tools/tool-facets.ts";

export interface ContentOptions {
  generator: string;
  /** Directory with the images of pintle's sessions. */
  blobDir: string;
  /** If unset, nothing is masked. */
  redactor?: Redactor;
  systemPrompt?: string;
  tools?: readonly { name: string; description: string }[];
}

export interface PageContent {
  index: PageIndex;
  /** One JSON string per row. */
  bodies: string[];
  images: readonly string[];
  /** Languages of code that the page may show. */
  languages: ReadonlySet<string>;
}

/** How long the process may be busy before it yields. */
const SLICE_MS = 10;

/** Reads the session as it is now, without later entries. Takes linear time and yields regularly. */
export async function buildContent(manager: SessionManager, options: ContentOptions): Promise<PageContent> {
  const entries = [...manager.entries()];
  const { leafId, labels, sessionFile, header, name } = manager;
  const blobs = new BlobStore(systemDisk, options.blobDir);
  const images = new ImageTable((reference) => blobs.read(reference, sessionFile)?.toString("base64"));
  const reading: Reading = {
    images,
    durations: new Durations(),
    summaries: new Map(),
    headline: (name, args) => facetsOf(name).headline?.(args),
  };
  const { redactor } = options;
  const mask = <T>(value: T) => (redactor ? (redactor.value(value) as T) : value);

  const outside = new Map<string, OutOfContext>(entries.flatMap((entry) => [...outOfContext(entry)]));
  const places = new Map<string, number>();
  const rows: Row[] = [];
  const bodies: string[] = [];
  const languages = new Set<string>();
  let sliceEnd = performance.now() + SLICE_MS;
  for (const entry of entries) {
    const at = timeOf(entry);
    // Mask before shortening, because half a secret cannot be recognized.
    const { body, ...page } = readEntry(mask(entry), reading, at);
    const text = JSON.stringify(body);
    const label = labels.get(entry.id)?.label;
    const out = outside.get(entry.id) ?? (entry.excludeFromContext ? "excluded" : page.out);
    places.set(entry.id, rows.length);
    bodies.push(text);
    for (const language of mentionedLanguages(text)) languages.add(language);
    rows.push({
      ...page,
      id: mask(entry.id),
      parent: entry.parentId === null ? -1 : (places.get(entry.parentId) ?? -1),
      at,
      size: text.length,
      ...(label !== undefined && { label: mask(label) }),
      ...(out && { out }),
    });
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  const { generator, systemPrompt, tools } = options;
  const index: PageIndex = {
    generator,
    session: mask({
      id: header.id,
      ...(name !== undefined && { name }),
      cwd: header.cwd,
      created: header.timestamp,
      file: basename(sessionFile ?? ""),
      ...(header.parentSession !== undefined && { parent: basename(header.parentSession) }),
    }),
    leaf: (leafId === null ? undefined : places.get(leafId)) ?? -1,
    isRedacted: redactor !== undefined,
    rows,
    ...(systemPrompt !== undefined && { systemPrompt: mask(systemPrompt) }),
    ...(tools && { tools: tools.map(({ name, description }) => mask({ name, description })) }),
  };
  return { index, bodies, images: images.images, languages };
}

function timeOf({ timestamp }: SessionEntry): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
