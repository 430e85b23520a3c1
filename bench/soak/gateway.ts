// Hosts connect and disconnect on the sessions of one `pintle serve`, by unix socket and WebSocket, some in the middle
// of a run. Every prompt is sent with a key and, if its connection was lost, resent with the same key. At the end each
// session contains exactly the accepted prompts, each once and answered, according to the gateway and to its file.
// Prints what should stay flat. `bun bench/soak/gateway.ts [sessions [hosts [minutes]]]` from the repository's root,
// after a build.
import type { LinePeer } from "../support/line-peer.ts";
import { type Served, ServePlace } from "../support/served.ts";
import { figuresOf, processesWith } from "./process-figures.ts";
import { startToolModel } from "./tool-model.ts";

export interface SoakOptions {
  sessions: number;
  hosts: number;
  /** Hosts start no further visit after this time, but each makes at least one. */
  ms: number;
  everyMs: number;
  report(text: string): void;
}

export interface SoakResult {
  prompts: number;
  /** Visits that disconnected before the answer. */
  cuts: number;
  /** Should be empty: sessions whose transcript differs from what was sent. */
  wrong: string[];
  exitCode: number;
  /** Of the server, after all visits. */
  first: Sample;
  last: Sample;
  /** Processes left when the server had ended. */
  processesLeft: number;
}

interface Sample {
  rssMb: number;
  descriptors: number;
  processes: number;
}

interface SoakSession {
  id: string;
  file: string;
  said: string[];
  isTaken: boolean;
}

interface Message {
  role: string;
  content: string | { type: string; text?: string }[];
}

/** Long enough that sessions are ended and woken, short enough that it happens often. */
const IDLE_MS = 1_000;

export async function soak({ sessions: count, hosts, ms, everyMs, report }: SoakOptions): Promise<SoakResult> {
  using model = startToolModel();
  using place = new ServePlace(model.config);
  const served = await place.serve({
    "serve.idleMs": IDLE_MS,
    "serve.maxWorkers": hosts * 2 + 4,
    "permissions.mode": "full",
  });
  const sessions = await openAll(served, count);
  const tally = { prompts: 0, cuts: 0 };
  const end = performance.now() + ms;
  const sample = () => sampleOf(served.pid, place.base);
  await quiet(served);
  const first = sample();
  show(report, "before", first, tally);
  const timer = setInterval(() => show(report, "meanwhile", sample(), tally), everyMs);
  const visits = async (host: number) => {
    for (let visit = 0; visit === 0 || performance.now() < end; visit += 1) {
      const session = take(sessions);
      if (session) await visitOnce({ served, session, tally, isCut: Math.random() < 0.3, word: `w-${host}-${visit}` });
      else await Bun.sleep(5);
    }
  };
  await Promise.all(Array.from({ length: hosts }, (_, host) => visits(host)));
  clearInterval(timer);
  await quiet(served);
  const last = sample();
  show(report, "after", last, tally);
  const wrong = await differences(served, place, sessions);
  const exitCode = await served.end();
  return { ...tally, wrong, exitCode, first, last, processesLeft: processesWith(place.base).length };
}

async function openAll(served: Served, count: number): Promise<SoakSession[]> {
  const peer = await served.bySocket();
  const sessions: SoakSession[] = [];
  for (let n = 0; n < count; n += 1) {
    const opened = await peer.ask<{ sessionId: string; sessionFile: string }>({
      type: "open_session",
      model: "soak/soak",
    });
    const session = { id: opened.sessionId, file: opened.sessionFile, said: [], isTaken: false };
    await say(peer, session, `first-${n}`, `k-${n}`);
    await settled(peer, session.id);
    await peer.ask({ type: "detach_session", sessionId: session.id });
    sessions.push(session);
  }
  peer.close();
  return sessions;
}

function take(sessions: readonly SoakSession[]): SoakSession | undefined {
  const free = sessions.filter(({ isTaken }) => !isTaken);
  const session = free[Math.floor(Math.random() * free.length)];
  if (session) session.isTaken = true;
  return session;
}

interface Visit {
  served: Served;
  session: SoakSession;
  tally: { prompts: number; cuts: number };
  isCut: boolean;
  word: string;
}

/**
 * Connects, sends one prompt and waits for the answer. A visit that is cut off leaves after sending, and returns with
 * the same key.
 */
async function visitOnce({ served, session, tally, isCut, word }: Visit): Promise<void> {
  const connect = () => (Math.random() < 0.5 ? served.bySocket() : served.byWebSocket());
  if (isCut) {
    tally.cuts += 1;
    const lost = await connect();
    await lost.ask({ type: "open_session", session: session.id });
    lost.send({ id: "lost", type: "prompt", message: `echo ${word}`, sessionId: session.id, commandKey: word });
    await Bun.sleep(Math.random() * 20);
    lost.close();
  }
  const peer = await connect();
  await peer.ask({ type: "open_session", session: session.id });
  await say(peer, session, word, word);
  await settled(peer, session.id);
  tally.prompts += 1;
  peer.close();
  session.isTaken = false;
}

async function say(peer: LinePeer, session: SoakSession, word: string, commandKey: string): Promise<void> {
  await peer.ask({ type: "prompt", message: `echo ${word}`, sessionId: session.id, commandKey });
  session.said.push(word);
}

/** The run may have ended while its host was disconnected, so the state is requested as well. */
async function settled(peer: LinePeer, sessionId: string): Promise<void> {
  for (let isSettled = false; !isSettled; ) {
    const received = peer.until((frame) => frame.type === "session_settled" && frame.sessionId === sessionId);
    ({ isSettled } = await peer.ask<{ isSettled: boolean }>({ type: "get_state", sessionId }));
    if (!isSettled) await Promise.race([received, Bun.sleep(250)]);
  }
}

/** All sessions were ended for idleness; the engine that looks up stored ones may be left. */
async function quiet(served: Served): Promise<void> {
  const peer = await served.bySocket();
  for (let workers = 2; workers > 1; ) {
    ({ workers } = await peer.ask<{ workers: number }>({ type: "get_server_state" }));
    if (workers > 1) await Bun.sleep(50);
  }
  peer.close();
}

/** Each session as the gateway reports it, as a single engine reads its file, and as expected. */
async function differences(served: Served, place: ServePlace, sessions: readonly SoakSession[]): Promise<string[]> {
  const peer = await served.bySocket();
  const wrong: string[] = [];
  for (const { id, file, said } of sessions) {
    await peer.ask({ type: "open_session", session: id });
    const received = await peer.ask<{ messages: Message[] }>({ type: "get_messages", sessionId: id });
    await peer.ask({ type: "close_session", sessionId: id });
    const bare = await place.bare("--session", file);
    const stored = await bare.peer.ask<{ messages: Message[] }>({ type: "get_messages" });
    await bare.end();
    const texts = received.messages
      .filter(({ role }) => role === "user" || role === "assistant")
      .map(textOf)
      .filter(Boolean);
    const expected = said.flatMap((word) => [`echo ${word}`, `It said ${word}`]);
    if (JSON.stringify(texts) !== JSON.stringify(expected))
      wrong.push(`${id}: ${texts.join(" | ")} instead of ${expected.join(" | ")}`);
    if (JSON.stringify(received) !== JSON.stringify(stored)) wrong.push(`${id}: the file differs`);
  }
  peer.close();
  return wrong;
}

function textOf({ content }: Message): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function sampleOf(pid: number, mark: string): Sample {
  const { rssMb, descriptors } = figuresOf(pid);
  return { rssMb, descriptors, processes: processesWith(mark).length };
}

function show(
  report: SoakOptions["report"],
  when: string,
  sample: Sample,
  tally: { prompts: number; cuts: number },
): void {
  const { rssMb, descriptors, processes } = sample;
  report(
    `${when.padEnd(10)} RSS ${rssMb.toFixed(1)} MB  ${descriptors} descriptors  ${processes} processes  ${tally.prompts} prompts  ${tally.cuts} cut off`,
  );
}

if (import.meta.main) {
  const [sessions = 100, hosts = 20, minutes = 30] = process.argv.slice(2).map(Number);
  const result = await soak({ sessions, hosts, ms: minutes * 60_000, everyMs: 60_000, report: console.log });
  for (const text of result.wrong) console.log(text);
  console.log(
    `exit code ${result.exitCode}, ${result.processesLeft} processes left, ${result.wrong.length} transcripts wrong`,
  );
}
