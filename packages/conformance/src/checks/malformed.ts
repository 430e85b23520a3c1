import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import type { Frame } from "../frame.ts";

const LINES = ["{", "nothing", "[1,2]", "42", "null", '"text"', "{}", '{"type":7}', '{"type":"prompt"', "\u0000"];

const CHUNK_BYTES = 256 * 1024;
/** Frames that are begun and never completed. */
const UNFINISHED = 50;

/** Returns the answer to a line; a command after it must still work. */
async function answerTo(agent: AgentProcess, line: string): Promise<Frame[]> {
  const from = agent.mark();
  agent.write(`${line}\n`);
  await agent.call("get_state");
  return agent.frames.slice(from, -1).filter(({ type }) => type === "response");
}

export const malformedChecks = group("malformed", "failures", [
  [
    "survives lines that are not commands",
    "After a line that is not a frame, reading continues.",
    async (trial) => {
      const agent = await trial.start();
      for (const line of LINES) await answerTo(agent, line);
    },
  ],
  [
    "answers lines that are not commands",
    'A line that is not a frame is answered once, with `command: "parse"` and without an id.',
    async (trial) => {
      const agent = await trial.start();
      for (const line of LINES) {
        const answers = await answerTo(agent, line);
        const observed = answers.map(({ success, command, id }) => [success, command, id ?? null]);
        same(observed, [[false, "parse", null]], `answer to ${JSON.stringify(line)}`);
      }
    },
    "parse_failures",
  ],
  [
    "unknown command",
    "An unknown command is refused with a failing response, and reading continues.",
    async (trial) => {
      const agent = await trial.start();
      const answers = await answerTo(agent, '{"id":"x","type":"no_such_command"}');
      same(
        answers.map(({ success, command }) => [success, command]),
        [[false, "no_such_command"]],
        "answer",
      );
      require(typeof answers[0]?.error === "string", "the failure has no error message");
    },
  ],
  [
    "missing field",
    "A command without a required field is refused with its own id and has no effect.",
    async (trial) => {
      const agent = await trial.start();
      const { success } = await agent.request("set_model", {});
      same(success, false, "success of set_model without fields");
      const { isStreaming } = await agent.call("get_state");
      same(isStreaming, false, "isStreaming");
    },
  ],
  [
    "field of a wrong type",
    "A field of the wrong type is refused, and nothing happens.",
    async (trial) => {
      const agent = await trial.start();
      const before = await agent.call("get_state");
      for (const [type, fields] of WRONG_FIELDS) {
        const { success, error } = await agent.request(type, fields);
        same(success, false, `success of ${type} ${JSON.stringify(fields)}`);
        require(typeof error === "string", `the refusal of ${type} has no text`);
      }
      const after = await agent.call("get_state");
      same([after.isStreaming, after.messageCount], [before.isStreaming, before.messageCount], "state");
    },
    "field_checks",
  ],
  [
    "failing command",
    "A known command that fails is answered with its own name and id.",
    async (trial) => {
      const agent = await trial.start();
      const response = await agent.request("set_model", { provider: "none", modelId: "none" });
      same([response.success, response.command], [false, "set_model"], "response");
    },
  ],
  [
    "stray chunks",
    "`rpc_chunk` frames from the host that are wrong, repeated or never completed do no harm.",
    async (trial) => {
      const agent = await trial.startAsOmp();
      const data = Buffer.alloc(CHUNK_BYTES).toString("base64");
      const whole = { chunkId: "c", index: 0, count: 4, byteLength: 4 * CHUNK_BYTES, data };
      const wrong = [
        { index: 3 },
        { count: 1e9, byteLength: 1e15 },
        { index: -1, count: 0 },
        { data: "%" },
        { data: 7 },
      ];
      for (const fields of [{}, {}, ...wrong]) agent.send({ type: "rpc_chunk", ...whole, ...fields });
      for (let n = 0; n < UNFINISHED; n += 1) agent.send({ type: "rpc_chunk", ...whole, chunkId: `c${n}` });
      await agent.call("get_state");
    },
  ],
]);

const WRONG_FIELDS: [type: string, fields: object][] = [
  ["prompt", {}],
  ["prompt", { message: 7 }],
  ["steer", { message: null }],
  ["set_model", { provider: 1, modelId: 2 }],
  ["set_steering_mode", { mode: "sometimes" }],
  ["set_auto_retry", { enabled: "yes" }],
];
