// A custom tool that reads one value from a JSON file, so that the model need not read the whole file. Try it:
//   pintle --custom-tool examples/custom-tools/json-value.ts -p 'call json_value {"file":"package.json","path":"scripts.test"}'
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { CustomToolFactory } from "pintle";

const MAX_TEXT = 10_000;

const factory: CustomToolFactory = (pi) => {
  const { Type } = pi.typebox;
  return {
    name: "json_value",
    label: "JSON value",
    description: "Returns the value at a dotted path of a JSON file, as JSON. An empty path lists the top-level keys.",
    parameters: Type.Object({
      file: Type.String({ minLength: 1 }),
      path: Type.String({ description: 'such as "scripts.test" or "items.0.name"' }),
    }),

    // Errors thrown here or by JSON.parse reach the model as tool errors.
    async execute(_toolCallId, { file, path }, _onUpdate, _ctx, signal) {
      let value: unknown = JSON.parse(await readFile(resolve(pi.cwd, file), { encoding: "utf8", signal }));
      for (const key of path.split(".").filter(Boolean)) {
        if (Object(value) !== value || !Object.hasOwn(value as object, key))
          throw new Error(`There is no ${key} in ${path}`);
        value = (value as Record<string, unknown>)[key];
      }
      const text = JSON.stringify(path === "" ? Object.keys(Object(value)) : value, undefined, 2);
      return { content: [{ type: "text", text: text.slice(0, MAX_TEXT) }] };
    },
  };
};

export default factory;
