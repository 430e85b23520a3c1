import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@pintle/ai";
import { type Spoken, spokenIn } from "./accepted-commands.ts";
import type { Batch } from "./batch.ts";

/** A prompt that was accepted and that no entry stands for. */
export interface LostPrompt extends Spoken {
  acceptedAt: number;
}

export interface LostPrompts {
  prompts: LostPrompt[];
  /** The last entry that was known before. */
  since: string | undefined;
}

interface AcceptedLine extends LostPrompt {
  ref: string;
  since?: string | undefined;
}

/** What was known when a prompt was sent to the engine. */
export interface SentAt {
  acceptedAt: number;
  since: string | undefined;
}

/**
 * Accepted prompts next to a session file, until the engine has stored them: a line when one is accepted, a line when it is stored or
 * over. It is removed when nothing is open, so it exists for moments, or after a crash.
 */
export class PromptFile {
  readonly #path: string;
  readonly #open = new Map<string, AcceptedLine>();
  readonly #log: (text: string) => void;

  constructor(path: string, log: (text: string) => void) {
    this.#path = path;
    this.#log = log;
  }

  /** Returns what a gateway that was killed has left. */
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

  /** Returns what was accepted and is not stored. It stays in the file until `clear`. */
  takeOpen(): LostPrompt[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }

  /** Writes what has changed. A disk that refuses costs the safety of the prompt, not the prompt. */
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

  /** All of them are stored. */
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
      // The engine makes the directory with the first entry, which may come later.
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

/** Without a last line that was cut off. */
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
