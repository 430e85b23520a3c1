import { cutText } from "@pintle/ai";
import { Batch, entryFacts, type LostRun, spokenEntry, spokenIn } from "@pintle/gateway/cluster";
import type { Database } from "../database/database.ts";

const MAX_PROMPT = 200;

/** A command that a previous owner accepted and did not finish. */
interface LostCommand {
  fence: number;
  ref: string;
  key: string | null;
  command: string;
  frame: string;
  entryId: string | null;
  acceptedAt: Date;
}

/** The commands that the previous node accepted and did not finish. */
export class LostCommands {
  readonly #commands: LostCommand[];

  constructor(commands: LostCommand[]) {
    this.#commands = commands;
  }

  static async of(database: Database, sessionId: string): Promise<LostCommands> {
    const rows = await database.query<Omit<LostCommand, "fence"> & { fence: string }>(
      `SELECT fence::text AS fence, ref, command_key AS key, command, frame, entry_id AS "entryId", accepted_at AS "acceptedAt"
       FROM pintle.commands WHERE session_id = $1 AND ended_at IS NULL ORDER BY accepted_at, ref`,
      [sessionId],
    );
    return new LostCommands(rows.map((row) => ({ ...row, fence: Number(row.fence) })));
  }

  get isEmpty(): boolean {
    return this.#commands.length === 0;
  }

  /**
   * Appends accepted prompts that are not stored yet to the conversation, so that they are not lost. Returns undefined
   * if all are stored.
   */
  unspoken(lastEntryId: string | undefined): Batch | undefined {
    const batch = new Batch();
    let parentId: string | null = lastEntryId ?? null;
    for (const lost of this.#commands) {
      const spoken = lost.entryId === null ? spokenIn(lost.command, lost.frame) : undefined;
      if (!spoken) continue;
      const entry = spokenEntry(spoken, parentId, lost.acceptedAt);
      const { id } = entry;
      batch.append({ entryId: id, line: JSON.stringify(entry) }, entryFacts(entry));
      batch.change({ fence: lost.fence, ref: lost.ref, entryId: id, outcome: null }, false);
      lost.entryId = id;
      parentId = id;
    }
    return batch.isEmpty ? undefined : batch;
  }

  prompts(): LostRun["prompts"] {
    return this.#commands.flatMap(({ command, frame, key, entryId }) => {
      const spoken = spokenIn(command, frame);
      if (!spoken) return [];
      return [
        {
          text: cutText(spoken.text, MAX_PROMPT),
          ...(key !== null && { commandKey: key }),
          ...(entryId !== null && { entryId }),
        },
      ];
    });
  }

  /** Marks them as reported, so that the next owner does not report them again. */
  readonly reported = (batch: Batch): void => {
    for (const { fence, ref } of this.#commands) {
      batch.change({ fence, ref, entryId: null, outcome: "interrupted" }, false);
    }
  };
}
