// A host that makes mistakes on purpose, with and without `--strict-host`: `bun bench/soak/careless-host.ts [rounds
// [seed]]` from the repository's root, after a build. Every mistake must be reported with its code, every command
// answered once, every run must end, and the program must exit with 0.
import { type RpcChild, startRpc } from "../../packages/coding-agent/test/support/scenarios/rpc-child.ts";
import { machine } from "../../packages/coding-agent/test/support/scenarios/stored-sessions.ts";

const [rounds = 500, firstSeed = 1] = process.argv.slice(2).map(Number);

type Counts = Record<string, number>;
const result = { content: [{ type: "text", text: "seen" }] };
const MALFORMED: readonly unknown[] = [
  5,
  null,
  "text",
  [],
  {},
  { content: 5 },
  { content: [{ type: "text" }] },
  { content: [null] },
];

/** A small generator with a seed, so that a failure can be reproduced. */
function random(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    chance: (part: number) => next() < part,
    one: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
  };
}

async function play(isStrict: boolean, seed: number) {
  using place = machine();
  const { chance, one } = random(seed);
  await using rpc: RpcChild = await startRpc(isStrict ? ["--strict-host"] : [], place);
  await rpc.call("set_host_tools", { tools: [{ name: "look", description: "d", parameters: { type: "object" } }] });
  const made: Counts = {};
  const sent: Counts = {};
  const mistake = (code: string, frame: object) => {
    made[code] = (made[code] ?? 0) + 1;
    rpc.send(frame);
  };
  const command = async (code: string, frame: object, fits: (frame: Record<string, unknown>) => boolean) => {
    mistake(code, frame);
    await rpc.until(fits);
  };
  const update = (id: string, partialResult: unknown) => ({ type: "host_tool_update", id, partialResult });
  const answer = (id: unknown, value: unknown) => ({ type: "host_tool_result", id, result: value });

  for (let round = 0; round < rounds; round += 1) {
    if (chance(0.3)) {
      const id = `f${round}`;
      await command(
        "unknown_field",
        { id, type: "ping", [one(["extra", "mesage", "__proto"])]: 1 },
        (frame) => frame.id === id,
      );
    }
    if (chance(0.3)) {
      const id = one([{ round }, [round], true]);
      await command(
        "invalid_id",
        { id, type: "ping" },
        (frame) => frame.command === "ping" && frame.requestId === JSON.stringify(id),
      );
    }
    if (chance(0.3)) {
      made.invalid_utf8 = (made.invalid_utf8 ?? 0) + 1;
      rpc.sendLine(
        Buffer.concat([
          Buffer.from(`{"id":"u${round}","type":"set_session_name","name":"`),
          Buffer.from([0xff, 0x41]),
          Buffer.from('"}'),
        ]),
      );
      await rpc.until((frame) => frame.id === `u${round}`);
    }
    await rpc.call("prompt", { message: "call look {}" });
    const { id } = await rpc.until(({ type }) => type === "host_tool_call");
    if (chance(0.3)) mistake("unknown_question", update("host_0", result));
    if (chance(0.3)) mistake("invalid_answer", update(id, one(MALFORMED)));
    if (chance(0.3)) mistake("invalid_id", answer(one([7, null]), result));
    if (chance(0.1)) {
      await rpc.call("abort");
      mistake("answered_late", answer(id, result));
      await rpc.call("ping");
      continue;
    }
    if (chance(0.5)) mistake("invalid_answer", answer(id, one(MALFORMED)));
    else rpc.send(answer(id, result));
    if (chance(0.3)) mistake("answered_twice", answer(id, result));
    await rpc.until(({ type }) => type === "agent_settled");
  }
  const exitCode = await rpc.end();
  for (const { type, source, command: of, success, code, count } of rpc.frames) {
    if (type === "notice" && source === "host") sent[code] = (sent[code] ?? 0) + count;
    if (type === "response" && success === false && (of === "parse" || code)) sent[code] = (sent[code] ?? 0) + 1;
  }
  const answered = rpc.frames.filter(({ type }) => type === "response").length;
  return { made, sent, exitCode, answered, notices: rpc.frames.filter(({ source }) => source === "host").length };
}

const sorted = (counts: Counts) => JSON.stringify(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
const began = performance.now();
for (const isStrict of [false, true]) {
  const { made, sent, exitCode, answered, notices } = await play(isStrict, firstSeed);
  const total = Object.values(made).reduce((sum, count) => sum + count, 0);
  const isRight = sorted(made) === sorted(sent) && exitCode === 0;
  console.log(
    `${isStrict ? "strict" : "lenient"}: ${rounds} runs, ${total} mistakes, ${notices} notices, ${answered} responses, exit ${exitCode}`,
  );
  if (!isRight) {
    console.log(`made     ${sorted(made)}\nreported ${sorted(sent)}`);
    process.exitCode = 1;
  }
}
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
