import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "@pintle/ai";
import { realPath } from "@pintle/foundation";
import type { ReadyFrame, TrustItem } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import type { TrustAsker } from "./ask-for-trust.ts";
import { FIRST_SIGNS } from "./covered-places.ts";
import type { Inventory } from "./inventory.ts";

/** `none`: the project has nothing that needs consent. */
export type TrustState = ReadyFrame["trust"];

export interface ProjectTrustParts {
  /** pintle's own directory. */
  home: string;
  /** The user's home directory. */
  userHome?: string;
  settings: Settings;
  /**
   * The decision of the user who started the process. It overrides everything else while the process runs. "open" applies to the
   * start directory only; a session file that names another directory is not affected.
   */
  flag?: "open" | "closed" | undefined;
  report(problem: string): void;
  now?(): number;
}

/**
 * Decides whether project code and privileged project settings take effect. Consent is bound to content: changed content needs a new
 * question. The code that hashes content is loaded only for a project that has some.
 */
export class ProjectTrust {
  readonly #parts: ProjectTrustParts;
  /** Start directory of the process, with links resolved. */
  readonly #start: string | undefined;
  #cwd: string;
  /** The part of the flag that applies to this directory. */
  #flag: "open" | "closed" | undefined;
  #inventory: Inventory | undefined;
  /** The decisions of this process, by digest. */
  readonly #decided = new Map<string, boolean>();
  #isOpen = false;
  #looking: typeof import("./look.ts") | undefined;
  #hasOpenSettings = false;
  #asking: { answer: Promise<TrustState>; stop: AbortController } | undefined;

  private constructor(cwd: string, parts: ProjectTrustParts) {
    this.#cwd = cwd;
    this.#start = realPath(cwd);
    this.#flag = parts.flag;
    this.#parts = parts;
  }

  /** Decides as far as possible without asking. The settings must have been read for the same directory. */
  static async open(cwd: string, parts: ProjectTrustParts): Promise<ProjectTrust> {
    const trust = new ProjectTrust(cwd, parts);
    await trust.review();
    return trust;
  }

  get state(): TrustState {
    if (!this.#inventory) return "none";
    return this.#isOpen ? "trusted" : "withheld";
  }

  /** Whether callers may rely on project content. */
  get isTrusted(): boolean {
    return this.#flag === "open" || this.state === "trusted";
  }

  /** The process was started with `--trust` in another directory. */
  get isBeyondFlag(): boolean {
    return this.#parts.flag !== this.#flag;
  }

  /** Content that is withheld for lack of consent. */
  get withheld(): readonly TrustItem[] {
    return this.state === "withheld" ? (this.#inventory?.items ?? []) : [];
  }

  /** Why consent cannot be requested, if so. */
  get obstacle(): string | undefined {
    return this.#inventory?.reach === "nobody" ? this.#inventory.obstacle : undefined;
  }

  /** Checks again before each load and after a change of directory. Changed content has no consent. */
  async review(cwd = this.#cwd): Promise<TrustState> {
    if (cwd !== this.#cwd) {
      this.#parts.settings.reload(cwd);
      this.#asking?.stop.abort(); // the question is about a project that was left
      this.#asking = undefined;
    }
    this.#cwd = cwd;
    this.#flag = this.#flagFor(cwd);
    if (!this.#looking && FIRST_SIGNS.some((name) => existsSync(join(cwd, name)))) {
      this.#looking = await import("./look.ts");
    }
    const before = this.#inventory;
    this.#inventory = this.#look();
    // Earlier consent never applies to changed content.
    if (!before || !this.#inventory || keyOf(before) !== keyOf(this.#inventory)) this.#isOpen = false;
    await this.#settle();
    return this.state;
  }

  /** Asks, unless the answer is known. Concurrent callers share one question. */
  ask(asker: TrustAsker, signal?: AbortSignal): Promise<TrustState> {
    if (this.#asking) return this.#asking.answer;
    const stop = new AbortController();
    const answer = this.#ask(asker, AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])).finally(() => {
      if (this.#asking?.stop === stop) this.#asking = undefined;
    });
    this.#asking = { answer, stop };
    return answer;
  }

  /** Checks directly before a project module is loaded that it and its folder are what was consented to. */
  isStillTrusted(path: string): boolean {
    if (this.#flag === "open") return true;
    if (!this.#isOpen || !this.#inventory || !this.#looking) return false;
    return this.#looking.isUnchanged(this.#inventory, path);
  }

  /** For a loader that has read a project file itself: checks that these are the bytes that were consented to. */
  isTrustedContent(realPath: string, content: Uint8Array | string): boolean {
    if (this.#flag === "open") return true;
    if (!this.#isOpen || !this.#inventory || !this.#looking) return false;
    return this.#looking.isSameContent(this.#inventory, realPath, content);
  }

  #flagFor(cwd: string): "open" | "closed" | undefined {
    const { flag } = this.#parts;
    return flag === "open" && (this.#start === undefined || realPath(cwd) !== this.#start) ? undefined : flag;
  }

  #look(): Inventory | undefined {
    const { home, userHome } = this.#parts;
    return this.#looking?.takeInventory({ cwd: this.#cwd, home, ...(userHome !== undefined && { userHome }) });
  }

  async #ask(asker: TrustAsker, signal: AbortSignal): Promise<TrustState> {
    const { askForTrust } = await import("./ask-for-trust.ts");
    // If the content changed during the question, consent was for something else; ask again.
    for (;;) {
      const asked = this.#inventory;
      if (!asked || !this.#isOpenQuestion(asker, asked)) return this.state;
      const { project, digest, items } = asked;
      const timeoutMs = this.#parts.settings.get("trust.timeoutMs");
      const answer = await askForTrust(asker, { project, digest, items: [...items], timeoutMs }, signal);
      if (!answer || signal.aborted) return "withheld"; // there was no answer
      this.#decided.set(keyOf(asked), answer.isTrusted);
      if (answer.isRemembered) await this.#remember(asked, answer.isTrusted, asker.by);
      await this.review();
    }
  }

  #isOpenQuestion({ by }: TrustAsker, inventory: Inventory): boolean {
    if (this.#isOpen || this.#flag === "closed" || inventory.reach === "nobody") return false;
    // A host has declared that it answers. A user at a terminal is asked only if the settings say so.
    if (by === "user" && this.#parts.settings.get("trust.default") !== "ask") return false;
    return !this.#decided.has(keyOf(inventory));
  }

  async #settle(): Promise<void> {
    const inventory = this.#inventory;
    const isAgreed = inventory !== undefined && (await this.#isAgreed(inventory));
    if (inventory !== this.#inventory) return; // a later check decides
    this.#isOpen = isAgreed && this.#openSettings(inventory);
    if (!this.#isOpen && this.#hasOpenSettings) this.#parts.settings.reload(this.#cwd);
    this.#hasOpenSettings = this.#isOpen;
  }

  async #isAgreed(inventory: Inventory): Promise<boolean> {
    const { home, report } = this.#parts;
    if (this.#flag !== undefined) return this.#flag === "open";
    if (inventory.reach === "nobody") return false;
    const decided = this.#decided.get(keyOf(inventory));
    if (decided !== undefined) return decided;
    if (inventory.reach !== "content") return false;
    const { TrustStore } = await import("./trust-store.ts");
    return new TrustStore(home).holds(inventory.project, inventory.digest, report);
  }

  /** The active settings must be those that were consented to. */
  #openSettings({ settings: agreed }: Inventory): boolean {
    const { settings } = this.#parts;
    if (!agreed) return true;
    if (settings.project?.sha256 !== agreed.sha256) settings.reload(this.#cwd);
    if (settings.project?.sha256 !== agreed.sha256) return false;
    settings.trustProject();
    return true;
  }

  async #remember(inventory: Inventory, isTrusted: boolean, by: "host" | "user"): Promise<void> {
    const { home, report, now = Date.now } = this.#parts;
    const { TrustStore } = await import("./trust-store.ts");
    const store = new TrustStore(home);
    const { project, digest, reach } = inventory;
    try {
      if (!isTrusted) await store.forget(project);
      else if (reach === "content") await store.remember(project, { digest, at: new Date(now()).toISOString(), by });
    } catch (error) {
      report(`the answer applies, but could not be stored: ${errorText(error)}`);
    }
  }
}

function keyOf({ project, digest }: Inventory): string {
  return `${digest} ${project}`;
}
