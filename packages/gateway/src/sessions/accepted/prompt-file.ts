import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@pintle/ai";
import { type Spoken, spokenIn } from "./accepted-commands.ts";
import type { Batch } from "./batch.ts";

/** An accepted prompt without an entry. */
export interface LostPrompt extends Spoken {
  acceptedAt: number;
}

export interface LostPrompts {
  prompts: LostPrompt[];
  /** The last entry that existed when the prompt was sent. */
  since: string | undefined;
}

interface AcceptedLine extends LostPrompt {
  ref: string;
  since?: string | undefined;
}

/** What the gateway knew when it sent a prompt to the engine. */
export interface SentAt {
  acceptedAt: number;
  since: string | undefined;
}

/**
 * Keeps accepted prompts in a file next to the session file until the engine has stored them. The file gets a line when a prompt is
 * accepted, and another when it is stored or has ended. It is removed when no prompt is open, so it exists only briefly, or after a
 * crash.
 */
export class PromptFile {
  readonly #path: string;
  readonly #open = new Map<string, AcceptedLine>();
  readonly #log: (text: string) => void;

  constructor(path: string, log: (text: string) => void) {
    this.#path = path;
    this.#log = log;
  }

  /** Returns the prompts that a killed gateway left unfinished. */
  read(): LostPrompts {
    const lines = readLines(this.#path);
    const over = new Set(lines.flatMap(({ over }) => (typeof over === "string" ? [over] : [])));
    const accepted = lines.flatMap(toAccepted);
    const stored = lines.map(({ entryId }) => entryId).findLast((entryId) => typeof entryId === "string");
    return {
      prompts: accepted.filter(({ ref }) => !over.has(ref)),
      since: stored ?? accepted.find(({ since }) => since !== undefined)?.since,
    };
  }

  /** Returns the accepted prompts that are not stored. They stay in the file until `clear`. */
  takeOpen(): LostPrompt[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }

  /** Writes the changes. If the disk fails, the prompt still runs but would not survive a crash. */
  write(batch: Batch, sentAt: (ref: string) => SentAt): void {
    const lines: object[] = [];
    for (const { ref, command, frame, entryId, outcome } of batch.accepted.values()) {
      const spoken = spokenIn(command, frame);
      if (!spoken || entryId !== null || outcome !== null) continue;
      const line = { ref, ...spoken, ...sentAt(ref) };
      this.#open.set(ref, line);
      lines.push(line);
    }
    for (const { ref, entryId } of batch.changes.values()) {
      if (this.#open.delete(ref)) lines.push({ over: ref, ...(entryId !== null && { entryId }) });
    }
    if (lines.length > 0) this.#store(lines);
  }

  /** Removes the file, because all prompts are stored. */
  clear(): void {
    this.#open.clear();
    rmSync(this.#path, { force: true });
  }

  #store(lines: readonly object[]): void {
    try {
      if (this.#open.size === 0) {
        rmSync(this.#path, { force: true });
        return;
      }
      // The engine creates the directory with the first entry, possibly later than this.
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      appendFileSync(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
    } catch (error) {
      this.#log(`${this.#path} cannot be written: ${String(error)}`);
    }
  }
}

function toAccepted({ ref, text, images, acceptedAt, since }: Record<string, unknown>): AcceptedLine[] {
  if (typeof ref !== "string" || typeof text !== "string" || typeof acceptedAt !== "number") return [];
  return [
    {
      ref,
      text,
      acceptedAt,
      images: Array.isArray(images) ? images : [],
      since: typeof since === "string" ? since : undefined,
    },
  ];
}

/** Returns all complete lines. */
function readLines(path: string): Record<string, unknown>[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return []; // the usual case
  }
  return text.split("\n").flatMap((line) => {
    try {
      const fields: unknown = JSON.parse(line);
      return isRecord(fields) ? [fields] : [];
    } catch {
      return [];
    }
  });
}
