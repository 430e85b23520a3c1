// A slow tool that reports its progress and stops when the run is aborted.
//   pintle --extension examples/extensions/word-count.ts -p 'call count_words {"folder":"."}'
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ExtensionFactory } from "pintle";

const UPDATE_EVERY = 10;

const extension: ExtensionFactory = (pi) => {
  const { Type } = pi.typebox;

  pi.registerTool({
    name: "count_words",
    label: "Count words",
    description: "Counts the words in the text files of a folder, subfolders left out.",
    parameters: Type.Object({ folder: Type.String() }),
    async execute(_toolCallId, { folder }, signal, onUpdate, ctx) {
      const path = resolve(ctx.cwd, folder);
      const entries = await readdir(path, { withFileTypes: true });
      const names = entries.filter((entry) => entry.isFile() && /\.(md|txt)$/.test(entry.name)).map(({ name }) => name);
      let words = 0;
      for (const [index, name] of names.entries()) {
        signal?.throwIfAborted();
        words += (await readFile(join(path, name), "utf8")).split(/\s+/).filter(Boolean).length;
        // Each update replaces the previous one; the model gets only the result.
        if ((index + 1) % UPDATE_EVERY === 0) {
          const text = `${index + 1} of ${names.length} files`;
          onUpdate?.({ content: [{ type: "text", text }], details: { files: index + 1, words } });
        }
      }
      const text = `${words} words in ${names.length} files`;
      return { content: [{ type: "text", text }], details: { files: names.length, words } };
    },
  });
};

export default extension;
