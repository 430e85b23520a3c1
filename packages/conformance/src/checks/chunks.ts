import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { type Frame, textOf } from "../frame.ts";
import { says } from "../model-server.ts";

/** The limits that clients of protocol version 2 require. */
const LIMITS = { maxFrameBytes: 1_048_576, maxReassembledFrameBytes: 67_108_864 };
/** An answer of over a mebibyte that does not repeat itself: some agents stop an answer that does. */
const PIECES = Array.from({ length: 8 }, (_, piece) =>
  Array.from({ length: 25_000 }, (_, n) => ((piece * 25_000 + n) * 7919).toString(36)).join(" "),
);
const LONG = PIECES.join(" ");

export const chunkChecks = group("chunks", "dialects", [
  [
    "limits",
    "`ready` offers protocol version 2 with its limits, and `negotiate_protocol` selects it.",
    async (trial) => {
      const agent = await trial.startAsOmp();
      const { supportedProtocolVersions, maxFrameBytes, maxReassembledFrameBytes } = agent.frames[0] ?? {};
      same(supportedProtocolVersions?.includes(2), true, "version 2 is supported");
      same({ maxFrameBytes, maxReassembledFrameBytes }, LIMITS, "limits");
      same((await agent.call("negotiate_protocol", { protocolVersion: 2 })).protocolVersion, 2, "protocolVersion");
    },
    "chunks",
  ],
  [
    "long lines",
    "In version 2 no line exceeds `maxFrameBytes`. Longer frames are sent as `rpc_chunk`s, in order and uninterrupted.",
    async (trial) => {
      trial.model.put(says(...PIECES.map((piece) => `${piece} `)));
      const agent = await trial.startAsOmp();
      await agent.call("negotiate_protocol", { protocolVersion: 2 });
      const from = agent.mark();
      await agent.call("prompt", { message: "go" });
      const isEnd = () => reassembled(agent.frames.slice(from)).some(({ type }) => type === "agent_end");
      // A violation inside the condition is reported by the check below.
      await agent.holds("agent_end", () => noViolation(isEnd));
      const longest = Math.max(...agent.log.map(({ way, text }) => (way === "←" ? Buffer.byteLength(text) + 1 : 0)));
      require(longest <= LIMITS.maxFrameBytes, `a line has ${longest} bytes`);
      const ends = reassembled(agent.frames.slice(from)).filter(
        ({ type, message }) => type === "message_end" && message?.role === "assistant",
      );
      same(
        ends.map(({ message }) => textOf(message).trim().length),
        [LONG.trim().length],
        "length of the answer",
      );
    },
    "chunks",
  ],
]);

function noViolation(condition: () => boolean): boolean {
  try {
    return condition();
  } catch {
    return true;
  }
}

/** Returns all complete frames, with chunked ones put together as strict clients do. */
function reassembled(frames: readonly Frame[]): Frame[] {
  const whole: Frame[] = [];
  let parts: Frame[] = [];
  for (const frame of frames) {
    if (frame.type !== "rpc_chunk") {
      same(parts.length, 0, "chunks before another frame");
      whole.push(frame);
      continue;
    }
    const { chunkId, index, count, byteLength } = frame;
    const [first = frame] = parts;
    same([chunkId, index, count, byteLength], [first.chunkId, parts.length, first.count, first.byteLength], "chunk");
    parts.push(frame);
    if (parts.length < count) continue;
    const bytes = Buffer.concat(parts.map(({ data }) => Buffer.from(data, "base64")));
    same(bytes.length, byteLength, "bytes of the chunks");
    whole.push(JSON.parse(bytes.toString()) as Frame);
    parts = [];
  }
  return whole;
}
