import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { piClient, piClientFile } from "../support/clients/client-classes.ts";
import { testIfCan, withClient } from "../support/clients/client-tests.ts";
import { type Family, promptsAndWaits, promptToEnd, sharedScenarios } from "../support/clients/shared-scenarios.ts";
import { startClient, textsOf } from "../support/clients/started-client.ts";
import { dist, runProgram } from "../support/program.ts";
import { CHAT, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";

// The client class of pi, as published, drives the built program.

const VERSIONS = [
  {
    name: "@mariozechner/pi-coding-agent",
    version: "0.52.12",
    integrity: "sha512-6Zmh57vUoRiN+rfRJxWErII/CNC5/3yX5nCU7tK+Eud2Ko+RcVZoBccwjdIUzsJib3Liw/yv9T1EWvz6ZdGbhw==",
  },
  {
    name: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    integrity: "sha512-gXQh3SaZmWTfVMc4Ao5+LGbVeKvzyO7tolok0nLsZgq9nGjZx/EEU3NM8C+qUnB4Nvs2rswG5qOVgLzQkq0fHQ==",
  },
  {
    name: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    integrity: "sha512-m8ArJUtVcQMSe1lLE/Ei7vX/JV7O39sWmWBsXV2NOU70F0qCp8GubA24pT3LnwTmM6LL2xV80/h6sQg85n69ew==",
  },
  {
    name: "@earendil-works/pi-coding-agent",
    version: "1.5.0",
    integrity: "sha512-xNDZ5kqowO6Z03FS2gwAkPEGk1ssxVcYKQ6qZId84mFEvwACvvyc2l0vAMOS+c5zvxLRMLBE9r4y44IGYkMJaQ==",
  },
];

const PI: Family = {
  args: ["--dialect", "pi"],
  branch: "fork",
  getBranchMessages: "getForkMessages",
  compactionEvents: ["compaction_start", "compaction_end"],
};

/** The runtime that its users use. */
const UNDER_NODE = `
const { RpcClient } = await import(process.argv[1]);
const rpc = new RpcClient({ cliPath: process.argv[2], args: process.argv.slice(3) });
await rpc.start();
const events = await rpc.promptAndWait("x");
console.log(JSON.stringify([events.at(-1).type, await rpc.getLastAssistantText()]));
await rpc.stop();
`;

for (const published of VERSIONS) {
  const name = `pi ${published.version}`;
  describe(name, async () => {
    await withClient(
      name,
      () => piClient(published),
      (client) => {
        sharedScenarios(client, PI);

        test("promptAndWait ends with the run", () => promptsAndWaits(client, PI));

        test("under Node", async () => {
          await using chat = await chatPlace(says("from Node"));
          const { code, stdout } = await runProgram(
            [await piClientFile(published), join(dist, "cli.js"), ...PI.args, ...CHAT],
            {
              ...chat.place,
              command: ["node", "--input-type=module", "-e", UNDER_NODE],
            },
          );
          expect(code).toBe(0);
          expect(JSON.parse(stdout)).toEqual([expect.stringMatching(/^agent_(end|settled)$/), "from Node"]);
        });

        testIfCan(client, "clone")("a clone has the same conversation", async () => {
          await using chat = await chatPlace(says("one"));
          await using started = await startClient(client, chat, PI);
          await promptToEnd(started.rpc, "first");
          const { sessionId } = await started.rpc.getState();
          expect(await started.rpc.clone()).toEqual({ cancelled: false });
          expect(textsOf(await started.rpc.getMessages(), "user")).toEqual(["first"]);
          expect((await started.rpc.getState()).sessionId).not.toBe(sessionId);
        });

        testIfCan(client, "clearQueue")("what was queued comes back", async () => {
          await using chat = await chatPlace();
          await using started = await startClient(client, chat, PI);
          await started.rpc.steer("one");
          await started.rpc.followUp("two");
          expect(await started.rpc.clearQueue()).toEqual({ steering: ["one"], followUp: ["two"] });
        });

        testIfCan(client, "getCommands")("commands are a list", async () => {
          await using chat = await chatPlace();
          await using started = await startClient(client, chat, PI);
          expect(await started.rpc.getCommands()).toEqual([]);
        });

        // From version 1 on, a response says what happened to the message.
        if (Number(published.version.split(".")[0]) >= 1) {
          test("a message was started or queued", async () => {
            const held = heldAnswer();
            await using chat = await chatPlace(held.respond, says("end"));
            await using started = await startClient(client, chat, PI);
            const { rpc } = started;
            const idle = rpc.waitForIdle();
            expect(await rpc.prompt("first")).toBe("started");
            await held.asked;
            expect(await rpc.prompt("joins", undefined, "followUp")).toBe("queued");
            expect(await rpc.steer("steers")).toBe("queued");
            expect(await rpc.followUp("follows")).toBe("queued");
            held.finish();
            await idle;
          });
        }
      },
    );
  });
}
