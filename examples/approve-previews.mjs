// Shows changes first, and applies them only when this program says so.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "@pintle/client";

const project = mkdtempSync(join(tmpdir(), "pintle-example-"));
const file = join(project, "greet.ts");
writeFileSync(file, "export function greet() {}\n");

const client = new RpcClient({ cwd: project, model: "pintle/offline", args: ["--no-session"] });
client.onPreview(({ label, details }) => {
  console.log(`${label}\n${details.diff}`);
  const isWanted = !details.diff.includes("forbidden"); // ask your user here; the run waits
  return isWanted ? "apply" : { action: "discard", reason: "That name is taken" };
});

await client.start();
try {
  for (const name of ["welcome", "forbidden"]) {
    const from = /function (\w+)/.exec(readFileSync(file, "utf8"))[1];
    const { text } = await client.promptAndWait(`rename ${from} to ${name}`);
    console.log(`${text}\n`);
  }
  console.log(`In the file: ${readFileSync(file, "utf8").trim()}`);
} finally {
  await client.stop();
  rmSync(project, { recursive: true });
}
