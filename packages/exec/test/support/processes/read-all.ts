import type { ChildOutput } from "../../../src/processes/child/child-output.ts";

/** Reads everything until the last writer has closed the pipe. */
export async function readAll(output: ChildOutput): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await output.read(); chunk; chunk = await output.read()) chunks.push(chunk);
  await output.close();
  return Buffer.concat(chunks).toString();
}
