// Several agents at once, each in its own process and session; one crashes and continues where it was.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "@pintle/client";

const sessionDir = mkdtempSync(join(tmpdir(), "pintle-example-"));
const names = ["ada", "bob", "cyd"];
const agents = names.map((name) => ({
  name,
  client: new RpcClient({ model: "pintle/offline", sessionDir, cwd: sessionDir }),
}));

try {
  await Promise.all(agents.map(({ client }) => client.start()));
  await Promise.all(
    agents.map(async ({ name, client }) => {
      await client.setSessionName(name);
      await client.promptAndWait(`write ${name}.txt: written by ${name}`);
    }),
  );

  const [{ client }] = agents;
  await client.restart(); // also after the process has died: `await client.exited` resolves then
  const { sessionName, messageCount } = await client.getState();
  console.log(`${sessionName} is back with ${messageCount} messages`);

  const files = await Promise.all(agents.map(({ name, client }) => client.bash(`cat ${name}.txt`)));
  for (const { output } of files) console.log(output.trim());
} finally {
  await Promise.all(agents.map(({ client }) => client.stop()));
  rmSync(sessionDir, { recursive: true });
}
