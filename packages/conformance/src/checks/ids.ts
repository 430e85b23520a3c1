import { group } from "../check.ts";
import { require, same } from "../failure.ts";

export const idChecks = group("ids", "frames-and-ids", [
  [
    "echoed",
    "A response has the `id` and the name of its command.",
    async (trial) => {
      const agent = await trial.start();
      const { id, command, type, success } = await agent.request("get_state");
      require(typeof id === "string", "no id");
      same([type, command, success], ["response", "get_state", true], "response");
    },
  ],
  [
    "absent",
    "A command without an id gets a response without one.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      agent.send({ type: "get_state" });
      const response = await agent.until("the response", ({ type }) => type === "response", from);
      require(response.id === undefined || response.id === null, `the response has the id ${response.id}`);
    },
  ],
  [
    "one response each",
    "Every command gets exactly one response.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      for (let n = 0; n < 20; n += 1) agent.send({ id: `once-${n}`, type: "get_state" });
      await agent.holds("twenty responses", () => responses().length >= 20);
      await agent.call("get_messages");
      same(responses().sort(), Array.from({ length: 20 }, (_, n) => `once-${n}`).sort(), "ids of the responses");
      function responses() {
        const later = agent.frames.slice(from);
        return later.filter(({ command }) => command === "get_state").map(({ id }) => id);
      }
    },
  ],
]);
