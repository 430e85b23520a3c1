import { expect, test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { fieldText } from "../../../src/live/questions/file-editor.ts";

/** Returns the text after a field has normalized it. */
const inField = (text: string) => text.replace(/\r\n?/g, "\n");

test("text that a field can hold comes back unchanged", () => {
  const line = fc.stringMatching(/^[ab]*$/);
  const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r"))).map((lines) => lines.flat().join(""));
  const uniform = fc.tuple(fc.array(line), fc.constantFrom("\n", "\r\n")).map(([lines, end]) => lines.join(end));
  fc.assert(
    fc.property(fc.oneof(text, uniform), (content) => {
      const field = fieldText(content);
      if (field) expect(field.restore(inField(field.text))).toBe(content);
      const endings = new Set(content.match(/\r\n|\n|\r/g));
      expect(field === undefined).toBe(endings.size > 1 || endings.has("\r"));
    }),
    propertyRuns({ numRuns: 300, seed: 51 }),
  );
});
