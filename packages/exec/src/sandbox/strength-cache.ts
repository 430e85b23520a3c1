import { readFileSync, readlinkSync, statSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Means, type Strength, toStrength } from "./strength.ts";

/** What a system supports changes with the kernel, with the program, and with the container around it. */
export interface CacheKey {
  version: string;
  bubblewrap: string | undefined;
}

/** Stores the result of the last probe until something changes on which it depends. */
export class StrengthCache {
  readonly #directory: string;
  readonly #key: string;

  constructor(directory: string, key: CacheKey) {
    this.#directory = directory;
    this.#key = describeSystem(key);
  }

  read(): Strength | undefined {
    try {
      const stored: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      return isStored(stored) && stored.key === this.#key ? toStrength(stored.means) : undefined;
    } catch {
      return undefined; // missing, or not ours; the probe writes it again
    }
  }

  async write({ means }: Strength): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}.${crypto.randomUUID()}`;
    await writeFile(draft, JSON.stringify({ key: this.#key, means } satisfies Stored), { mode: 0o600, flag: "wx" });
    await rename(draft, this.#path);
  }

  get #path(): string {
    return join(this.#directory, "strength.json");
  }
}

interface Stored {
  key: string;
  means: Means;
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== "object" || value === null || !("key" in value) || !("means" in value)) return false;
  const { means } = value;
  return typeof means === "object" && means !== null && "landlock" in means && typeof means.landlock === "number";
}

/** A container may share the host's home directory and boot id, but not its namespaces. */
function describeSystem({ version, bubblewrap }: CacheKey): string {
  const facts = [
    version,
    process.platform,
    process.arch,
    process.getuid?.(),
    readText("/proc/sys/kernel/random/boot_id"),
    ...["user", "mnt", "pid"].map((name) => readLink(`/proc/self/ns/${name}`)),
    ...readText("/proc/self/status")
      .split("\n")
      .filter((line) => /^(NoNewPrivs|Seccomp_filters|CapEff):/.test(line)),
    bubblewrap && `${bubblewrap} ${statSync(bubblewrap, { throwIfNoEntry: false })?.mtimeMs}`,
  ];
  return facts.join("\n");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return ""; // not Linux
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
