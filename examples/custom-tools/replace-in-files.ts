// A custom tool that previews its change. Try it:
//   pintle --custom-tool examples/custom-tools/replace-in-files.ts \
//     -p 'call replace_in_files {"from":"colour","to":"color","files":["notes.txt"]}'
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CustomToolFactory } from "pintle";

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox;
  return {
    name: "replace_in_files",
    label: "Replace in files",
    description: "Replaces a string in the given files. The change is previewed and must be resolved.",
    parameters: Type.Object({
      from: Type.String({ minLength: 1 }),
      to: Type.String(),
      files: Type.Array(Type.String(), { minItems: 1 }),
    }),
    // It may stage a change, so `resolve` is offered to the model from the start.
    deferrable: true,

    async execute(_toolCallId, { from, to, files }) {
      const before = new Map<string, string>();
      for (const file of files) before.set(file, await readFile(resolve(pi.cwd, file), "utf8"));
      const hits = [...before].filter(([, text]) => text.includes(from));
      if (hits.length === 0) return { content: [{ type: "text", text: `"${from}" was not found.` }] };

      pi.pushPendingAction({
        label: `Replace "${from}" in ${hits.length} file(s)`,
        sourceToolName: "replace_in_files",
        details: { files: hits.map(([file]) => file) },
        apply: async () => {
          for (const [file, text] of hits) {
            const path = resolve(pi.cwd, file);
            if ((await readFile(path, "utf8")) !== text) throw new Error(`${file} has changed since the preview`);
          }
          for (const [file, text] of hits) await writeFile(resolve(pi.cwd, file), text.replaceAll(from, to));
          return { content: [{ type: "text", text: `Replaced in ${hits.map(([file]) => file).join(", ")}.` }] };
        },
      });
      return { content: [{ type: "text", text: `Would change ${hits.map(([file]) => file).join(", ")}.` }] };
    },
  };
};

export default factory;
