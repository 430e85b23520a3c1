import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { readSettingsFile } from "../config/settings/settings-file.ts";
import { changeSettingsFile } from "../config/settings/settings-writer.ts";

export interface StoredConsent {
  digest: string;
  at: string;
  /** A program that embeds pintle, or a user at a terminal. */
  by: "host" | "user";
}

/** Consent that outlives the process: one line per project in a file that only the user can read. */
export class TrustStore {
  readonly #path: string;

  constructor(home: string) {
    this.#path = join(home, "trust.json");
  }

  /** Whether exactly this content was consented to. An unreadable file means no consent and is reported. */
  holds(project: string, digest: string, report: (problem: string) => void): boolean {
    const file = readSettingsFile(this.#path, "json");
    if (!file) return false;
    if ("problem" in file) {
      report(`${this.#path}: ${file.problem}; no project is trusted`);
      return false;
    }
    const consent = Object.hasOwn(file.tree, project) ? file.tree[project] : undefined;
    return isRecord(consent) && consent.digest === digest;
  }

  /** Rejects and leaves the file unchanged if it cannot be written. */
  async remember(project: string, consent: StoredConsent): Promise<void> {
    await changeSettingsFile(this.#path, (all) => ({ ...all, [project]: consent }));
  }

  async forget(project: string): Promise<void> {
    await changeSettingsFile(this.#path, ({ [project]: _gone, ...rest }) => rest);
  }
}
