import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";

/** Creates a separate HOME_DIR, removed at the end of the block that declares it with `using`. */
export function tempHome(files: Record<string, unknown> = {}) {
  const dir = scratchPath();
  const write = (name: string, content: unknown) =>
    writeFileSync(join(dir, name), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    dir,
    write,
    path: (name: string) => join(dir, name),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}
