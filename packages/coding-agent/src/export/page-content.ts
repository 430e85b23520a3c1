import { basename } from "node:path";
import { isRecord } from "@pintle/ai";
import type { Redactor } from "@pintle/ai/secrets";
import { systemDisk } from "@pintle/foundation";
import { type Body, type OutOfContext, type PageIndex, type Row, type SubagentBody, subagentRowId } from "@pintle/page";
import { Durations, ImageTable, mentionedLanguages, outOfContext, type Reading, readEntry } from "@pintle/page/reading";
import { BlobStore, type SessionManager } from "@pintle/storage";
import { facetsOf } from "../tools/tool-facets.ts";
import type { StoredSubagent } from "./stored-subagents.ts";

export interface ContentOptions {
  generator: string;
  /** Directory with the images of pintle's sessions. */
  blobDir: string;
  /** If unset, nothing is masked. */
  redactor?: Redactor;
  /** The sessions of its subagents, a subagent before those that it started. */
  subagents?: AsyncIterable<StoredSubagent>;
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

/**
 * Reads the session as it is now, without later entries, then its subagents. Takes linear time and yields regularly.
 */
export async function buildContent(manager: SessionManager, options: ContentOptions): Promise<PageContent> {
  const { redactor, generator, systemPrompt, tools, subagents } = options;
  const mask = <T>(value: T) => (redactor ? (redactor.value(value) as T) : value);
  const reader = new RowReader(options.blobDir, mask);
  const { leafId, header, name, sessionFile } = manager;
  const places = await reader.add(manager);
  for await (const { id, manager } of subagents ?? []) await reader.addSubagent(id, manager);
  const { rows, bodies, images, languages } = reader;
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
  return { index, bodies, images, languages };
}

/** Reads the entries of one or more sessions into the rows of a page. */
class RowReader {
  readonly rows: Row[] = [];
  readonly bodies: string[] = [];
  readonly languages = new Set<string>();
  readonly #images: ImageTable;
  readonly #mask: <T>(value: T) => T;
  /** Maps a subagent to its agent and the first row that reports it. */
  readonly #started = new Map<string, { agent: string; row: string }>();
  #sessionFile: string | undefined;
  #sliceEnd = performance.now() + SLICE_MS;

  constructor(blobDir: string, mask: <T>(value: T) => T) {
    const blobs = new BlobStore(systemDisk, blobDir);
    this.#images = new ImageTable((reference) => blobs.read(reference, this.#sessionFile)?.toString("base64"));
    this.#mask = mask;
  }

  get images(): readonly string[] {
    return this.#images.images;
  }

  /** Adds a subagent's conversation, whose entries may have the ids of those that it was forked from. */
  async addSubagent(id: string, manager: SessionManager): Promise<void> {
    const name = this.#mask(id);
    const started = this.#started.get(name);
    const body: SubagentBody = started ? { startedBy: started.row } : {};
    const row: Row = {
      id: subagentRowId(name),
      parent: -1,
      kind: "subagent",
      title: `Subagent ${name}${started?.agent ? ` (${started.agent})` : ""}`,
      at: timeOf(manager.header),
      size: 0,
    };
    const place = this.rows.push(row) - 1;
    this.bodies.push(JSON.stringify(body));
    await this.add(manager, { place, prefix: `${id}/` });
  }

  /** Returns the places of the entries. */
  async add(manager: SessionManager, root = { place: -1, prefix: "" }): Promise<ReadonlyMap<string, number>> {
    const entries = [...manager.entries()];
    const { labels } = manager;
    const mask = this.#mask;
    this.#sessionFile = manager.sessionFile;
    const reading: Reading = {
      images: this.#images,
      durations: new Durations(),
      summaries: new Map(),
      headline: (name, args) => facetsOf(name).headline?.(args),
    };
    const outside = new Map<string, OutOfContext>(entries.flatMap((entry) => [...outOfContext(entry)]));
    const places = new Map<string, number>();
    for (const entry of entries) {
      const at = timeOf(entry);
      // Mask before shortening, because half a secret cannot be recognized.
      const { body, ...page } = readEntry(mask(entry), reading, at);
      const text = JSON.stringify(body);
      const label = labels.get(entry.id)?.label;
      const out = outside.get(entry.id) ?? (entry.excludeFromContext ? "excluded" : page.out);
      const id = mask(root.prefix + entry.id);
      places.set(entry.id, this.rows.length);
      this.bodies.push(text);
      for (const language of mentionedLanguages(text)) this.languages.add(language);
      this.rows.push({
        ...page,
        id,
        parent: (entry.parentId === null ? undefined : places.get(entry.parentId)) ?? root.place,
        at,
        size: text.length,
        ...(label !== undefined && { label: mask(label) }),
        ...(out && { out }),
      });
      if (page.kind === "tool" && page.tool === "task") this.#noteStarted(body, id);
      if (performance.now() > this.#sliceEnd) {
        await new Promise((resolve) => setImmediate(resolve));
        this.#sliceEnd = performance.now() + SLICE_MS;
      }
    }
    return places;
  }

  /** Remembers the subagents that a result of `task` reports. Its details are untrusted. */
  #noteStarted(body: Body, row: string): void {
    const details = isRecord(body) && "details" in body ? body.details : undefined;
    if (!isRecord(details)) return;
    const { results, async } = details;
    const jobs = isRecord(async) && Array.isArray(async.jobIds) ? async.jobIds.map((id) => ({ id })) : [];
    for (const given of [...(Array.isArray(results) ? results : []), ...jobs]) {
      const { id, agent }: Record<string, unknown> = isRecord(given) ? given : {};
      if (typeof id !== "string" || this.#started.has(id)) continue;
      this.#started.set(id, { agent: typeof agent === "string" ? agent : "", row });
    }
  }
}

function timeOf({ timestamp }: { timestamp: string }): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? 0 : time;
}
