import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { group } from "../check.ts";
import { require, same } from "../failure.ts";
import { says } from "../model-server.ts";

export const bashChecks = group("bash", "commands", [
  [
    "output",
    "`bash` runs a user's command and returns its output and exit code.",
    async (trial) => {
      const agent = await trial.start();
      const { output, exitCode, cancelled } = await agent.call("bash", { command: "echo hi; exit 3" });
      same([output.trim(), exitCode, cancelled], ["hi", 3, false], "result");
    },
    "bash",
  ],
  [
    "joins the conversation",
    "The model reads the output with the next prompt.",
    async (trial) => {
      trial.model.put(says("I see"));
      const agent = await trial.start();
      await agent.call("bash", { command: "echo from-the-user" });
      await agent.run("what did I run?");
      require(JSON.stringify(trial.model.requests[0]).includes("from-the-user"), "the model did not get the output");
    },
    "bash",
  ],
  [
    "abort_bash",
    "`abort_bash` ends the command, and its response reports that.",
    async (trial) => {
      const agent = await trial.start();
      const from = agent.mark();
      agent.send({ id: "long", type: "bash", command: "touch begun; sleep 60" });
      while (!existsSync(join(trial.cwd, "begun"))) await delay(10);
      await agent.call("abort_bash");
      const { data } = await agent.until("the response to bash", ({ id }) => id === "long", from);
      same(data?.cancelled, true, "cancelled");
    },
    "bash",
  ],
]);
