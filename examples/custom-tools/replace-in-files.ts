// A custom tool that previews its change, of which hosts can apply any part. Try it:
//   pintle --custom-tool examples/custom-tools/replace-in-files.ts \
//     -p 'call replace_in_files {"from":"colour","to":"color","files":["notes.txt"]}'
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ChangeSelection, type CustomToolFactory, compareFiles } from "pintle";

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

      const compared = hits.map(([path, text]) => ({ path, before: text, after: text.replaceAll(from, to) }));
      const { changes, select, proposedText } = await compareFiles(compared, "replace_in_files");
      const write = async (selection: ChangeSelection) => {
        const selected = select(selection);
        for (const { path } of selected) {
          if ((await readFile(resolve(pi.cwd, path), "utf8")) === before.get(path)) continue;
          // The code keeps a partial apply pending, so that the user can decide again.
          throw Object.assign(new Error(`${path} has changed since the preview`), { code: "conflict" });
        }
        for (const { path, content = "" } of selected) await writeFile(resolve(pi.cwd, path), content);
      };
      pi.pushPendingAction({
        label: `Replace "${from}" in ${hits.length} file(s)`,
        sourceToolName: "replace_in_files",
        details: { files: hits.map(([file]) => file) },
        changes,
        proposedText,
        apply: async () => {
          await write({ files: changes.map(({ path }) => path), hunks: [], edits: [] });
          return { content: [{ type: "text", text: `Replaced in ${hits.map(([file]) => file).join(", ")}.` }] };
        },
        // pintle reports to the model which parts were applied.
        applyHunks: async (selection) => {
          await write(selection);
          return { content: [] };
        },
      });
      return { content: [{ type: "text", text: `Would change ${hits.map(([file]) => file).join(", ")}.` }] };
    },
  };
};

export default factory;
