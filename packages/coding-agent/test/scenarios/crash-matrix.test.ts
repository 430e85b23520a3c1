import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentMessage } from "@pintle/agent";
import { pairingFaults } from "../../../agent/test/support/pairing.ts";
import { readLines } from "../support/scenarios/lines.ts";
import {
  freshPlace,
  type Place,
  show,
  startSession,
  storedMessages,
  storeOf,
} from "../support/session/test-session.ts";

// Kills a busy process, at known points and at random; nothing that a host received may be lost. PINTLE_KILLS sets how
// often at each point, PINTLE_RANDOM_KILLS how often at random.

const KILLS = Number(process.env.PINTLE_KILLS ?? 3);
const RANDOM_KILLS = Number(process.env.PINTLE_RANDOM_KILLS ?? 15);
/** The machine has two cores. */
const AT_ONCE = 3;

const PLACES = [
  "before the first delta",
  "streaming",
  "tool running",
  "between write and message_end",
  "right after message_end",
  "between turns",
  "between runs",
  "between sessions",
];

interface Told {
  ended: AgentMessage;
  file: string;
}

interface Killed {
  place: Place;
  told: Told[];
  /** Where it stopped, if it was given a place to stop. */
  standing?: string;
}

/** Lets a child run until it reaches the point, or until `count` frames were received and another moment has passed. */
async function killOne(at: string, count: number): Promise<Killed> {
  const place = freshPlace();
  const script = fileURLToPath(import.meta.resolve("../support/scenarios/crash-child.ts"));
  const child = Bun.spawn([process.execPath, script, place.home, place.cwd, at, String(count)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const told: Told[] = [];
  let standing: string | undefined;
  let lines = 0;
  for await (const line of readLines(child.stdout)) {
    const said = JSON.parse(line);
    lines += 1;
    if (said.ended) told.push(said);
    standing ??= said.standing;
    if (standing === undefined && !(at === "anywhere" && lines === count)) continue;
    // Anywhere: a fraction of a millisecond later, so that the kill hits work in progress.
    if (at === "anywhere") Bun.sleepSync(Math.random() * 2);
    child.kill("SIGKILL");
  }
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  return { place, told, ...(standing !== undefined && { standing }) };
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Opens the session that the dead process left, compares and continues it. Returns the number of compared messages. */
async function examine({ place, told }: Killed): Promise<number> {
  const store = storeOf(place);
  for (const file of new Set(told.map((one) => one.file))) {
    const entries = (await store.open(file, { access: "read" })).entries();
    const stored = entries.flatMap((entry) => ("message" in entry ? [entry.message as AgentMessage] : []));
    const byTime = new Map(stored.map((message) => [message.timestamp, message]));
    for (const { ended } of told.filter((one) => one.file === file)) {
      const found = byTime.get(ended.timestamp) as AgentMessage;
      expect(show([found])).toEqual(show([ended]));
      if (!JSON.stringify(ended).includes('"image"')) expect(plain(found)).toEqual(ended);
    }
  }
  const last = told.at(-1)?.file;
  const session = last === undefined ? { continueRecent: true } : { open: last };
  const problems: string[] = [];
  const next = await startSession([[{ text: "here I am" }]], {
    place,
    session,
    report: (text) => problems.push(text),
    settings: { "session.fsync": "never", "compaction.enabled": false },
  });
  const before = next.session.messages.length;
  await next.session.prompt("go on");
  expect(show(next.session.messages).slice(before)).toEqual(["user: go on", "assistant: here I am"]);
  expect(pairingFaults(next.requests[0]?.context.messages ?? [])).toEqual([]);
  expect(JSON.stringify(next.requests[0]?.context)).not.toMatch(/image unavailable|blob:/);
  expect(plain(await storedMessages(place, next.session.sessionFile as string))).toEqual(plain(next.session.messages));
  await next.session.dispose();
  expect(problems.filter((text) => !text.includes("could not be read completely"))).toEqual([]);
  const path = next.session.sessionFile as string;
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith(`.${basename(path)}`))).toEqual([]);
  return told.length;
}

/** Prints what a long run did, for the person who requested it. */
function report(at: string, kills: number, compared: number): void {
  if (process.env.PINTLE_KILLS) console.error(`${at}: ${kills} kills, ${compared} messages compared`);
}

/** Runs all of them, a few at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe("a killed process", () => {
  test.each(PLACES)(
    "%s loses nothing that was emitted, and its session can be resumed",
    async (at) => {
      let kills = 0;
      let compared = 0;
      // First the first time it reaches the point, then ever later, so that each kill hits a longer history.
      const counts = Array.from({ length: KILLS }, (_, n) => 1 + n * (at === "streaming" ? 7 : 1));
      await each(counts, async (count) => {
        const killed = await killOne(at, count);
        expect(killed.standing).toBe(at);
        const messages = await examine(killed);
        compared += messages;
        kills += 1;
      });
      expect(kills).toBe(KILLS);
      expect(compared).toBeGreaterThanOrEqual(KILLS - 1); // a host never receives the very first write
      report(at, kills, compared);
    },
    600_000,
  );

  test("at random loses nothing that was emitted, and its session can be resumed", async () => {
    let kills = 0;
    let compared = 0;
    const counts = Array.from({ length: RANDOM_KILLS }, (_, at) => 2 + ((at * 17) % 40));
    await each(counts, async (count) => {
      const messages = await examine(await killOne("anywhere", count));
      compared += messages;
      kills += 1;
    });
    expect(kills).toBe(RANDOM_KILLS);
    expect(compared).toBeGreaterThan(RANDOM_KILLS);
    report("anywhere", kills, compared);
  }, 600_000);
});
