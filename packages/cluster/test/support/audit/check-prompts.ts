import { type Check, type Frame, groupBy, userText } from "./evidence.ts";

interface Said {
  sessionId: string;
  key: string;
  text: string;
  isAcknowledged: boolean;
}

const PROMPTS: ReadonlySet<unknown> = new Set(["prompt", "steer", "follow_up"]);

/**
 * Each acknowledged prompt is in its session exactly once, one that was never acknowledged at most once, and the
 * acceptance of each acknowledged one was stored. Prompts are unique in a run, so they can be found again.
 */
export const promptsOnce: Check = (evidence) => {
  const wrong: string[] = [];
  const times = new Map<string, number>();
  for (const { sessionId, line } of evidence.entries) {
    const text = userText((JSON.parse(line) as Frame).message);
    if (text !== undefined) times.set(`${sessionId} ${text}`, (times.get(`${sessionId} ${text}`) ?? 0) + 1);
  }
  const accepted = groupBy(evidence.commands, ({ sessionId, commandKey }) => `${sessionId} ${commandKey}`);
  for (const { sessionId, key, text, isAcknowledged } of promptsOf(evidence.transcripts)) {
    const count = times.get(`${sessionId} ${text}`) ?? 0;
    const rows = accepted.get(`${sessionId} ${key}`)?.length ?? 0;
    if (isAcknowledged && count !== 1)
      wrong.push(`${sessionId}: the acknowledged prompt ${key} is there ${count} times`);
    if (!isAcknowledged && count > 1) wrong.push(`${sessionId}: the prompt ${key} stands there ${count} times`);
    if (isAcknowledged && rows !== 1) wrong.push(`${sessionId}: the acceptance of ${key} is stored ${rows} times`);
  }
  return wrong;
};

function promptsOf(transcripts: Parameters<Check>[0]["transcripts"]): Said[] {
  const said = new Map<string, Said>();
  const asked = new Map<string, Said>();
  for (const { host, connection, dir, frame } of transcripts) {
    const id = `${host} ${connection} ${String(frame.id)}`;
    if (dir === "out" && PROMPTS.has(frame.type) && typeof frame.commandKey === "string") {
      const {
        sessionId,
        commandKey: key,
        message: text,
      } = frame as { sessionId: string; commandKey: string; message: string };
      const one = said.get(`${sessionId} ${key}`) ?? { sessionId, key, text, isAcknowledged: false };
      said.set(`${sessionId} ${key}`, one);
      asked.set(id, one);
    } else if (dir === "in" && frame.type === "response" && frame.success === true) {
      const one = asked.get(id);
      if (one) one.isAcknowledged = true;
    }
  }
  return [...said.values()];
}
