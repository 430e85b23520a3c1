// A reporter for `node --test` with the output format of `bun test`, so that one parser handles both.
import { inspect } from "node:util";
import { root } from "../paths.mjs";

export default async function* report(source) {
  const count = { pass: 0, fail: 0, skip: 0, todo: 0 };
  const files = new Set();
  let file;
  for await (const { type, data } of source) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    // Runs one file at a time: what starts next belongs to the file that follows.
    if (type === "test:dequeue" && data.file !== undefined && data.file !== file) {
      file = data.file;
      files.add(file);
      yield `\n${file.replace(`${root}/`, "")}:\n`;
    }
    if ((type !== "test:pass" && type !== "test:fail") || data.details.type === "suite") continue;
    const kind = data.skip !== undefined ? "skip" : data.todo !== undefined ? "todo" : type.slice("test:".length);
    count[kind] += 1;
    if (kind === "fail") yield `${inspect(data.details.error?.cause ?? data.details.error)}\n`;
    const reason = typeof data.skip === "string" ? ` [${data.skip}]` : "";
    yield `(${kind}) ${data.name}${reason} [${data.details.duration_ms.toFixed(2)}ms]\n`;
  }
  const all = Object.values(count).reduce((sum, some) => sum + some, 0);
  yield `\n${Object.entries(count)
    .map(([kind, some]) => ` ${some} ${kind}\n`)
    .join("")}`;
  yield `Ran ${all} tests across ${files.size} files.\n`;
}
