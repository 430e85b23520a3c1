import { describe, expect, test } from "bun:test";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { compareLines } from "../../src/file-changes/compare-lines.ts";
import { describeChange, type FileState, mergeChange, withHunks } from "../../src/file-changes/index.ts";

const file = (text: string, mode = 0o644): FileState => ({ type: "file", mode, bytes: Buffer.from(text) });
const textOf = (state: FileState | undefined) => state && Buffer.from(state.bytes).toString();

/** Few distinct lines, so that many repeat; with every kind of line ending, and with none at the end. */
const line = fc.tuple(
  fc.constantFrom("", "}", "a", "b", "c", "  return x;", "\uFEFFé", "zażółć"),
  fc.constantFrom("\n", "\n", "\r\n"),
);
const textArbitrary = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("", "end", "}\r"))
  .map(([lines, end]) => lines.map(([text, ending]) => text + ending).join("") + end);

/** An old text, and a new one that shares most of its lines. */
const pairArbitrary = fc
  .tuple(textArbitrary, fc.array(fc.tuple(fc.nat(60), fc.nat(3), textArbitrary), { maxLength: 6 }))
  .map(([before, changes]) => {
    const lines = before.match(/[^\n]*\n|[^\n]+/g) ?? [];
    for (const [at, count, text] of changes)
      lines.splice(at, count, ...(text.match(/[^\n]*\n|[^\n]+/g) ?? []).slice(0, 3));
    return { before, after: lines.join("") };
  });

const runs = propertyRuns({ numRuns: 500, seed: 51 });

describe("hunks", () => {
  test(
    "gives the new text with all hunks, the old text with none, and with some what their lines say",
    () => {
      const property = fc.property(pairArbitrary, fc.infiniteStream(fc.boolean()), ({ before, after }, choices) => {
        const pair = { path: "a.ts", before: file(before), after: file(after) };
        const hunks = describeChange({ ...pair, sources: [] })?.hunks ?? [];
        const ids = hunks.map(({ hunkId }) => hunkId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(textOf(withHunks(pair, new Set(ids)))).toBe(after);
        expect(textOf(withHunks(pair, new Set()))).toBe(before);
        const chosen = hunks.filter(() => choices.next().value);
        const result = textOf(withHunks(pair, new Set(chosen.map(({ hunkId }) => hunkId))));
        expect(result).toBe(
          modelOf(
            before,
            after,
            hunks.map((hunk) => chosen.includes(hunk)),
          ),
        );
      });
      fc.assert(property, runs);
    },
    PROPERTY_TIMEOUT_MS,
  );

  test(
    "is a unified diff that other programs apply",
    () => {
      const withoutReturns = pairArbitrary.map(({ before, after }) => ({
        before: before.replaceAll("\r", ""),
        after: after.replaceAll("\r", ""),
      }));
      const property = fc.property(withoutReturns, ({ before, after }) => {
        const change = describeChange({ path: "a", before: file(before), after: file(after), sources: [] });
        const body = (change?.hunks ?? []).map(
          ({ oldStart, oldLines, newStart, newLines, lines }) =>
            `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join("\n")}\n`,
        );
        const [patch] = parsePatch(`--- a\n+++ a\n${body.join("")}`);
        expect(applyPatch(before, patch!)).toBe(after);
      });
      fc.assert(property, runs);
    },
    PROPERTY_TIMEOUT_MS,
  );

  test(
    "keeps the ids of the other hunks when one is applied to the old text or taken back from the new one",
    () => {
      // Every line occurs once, so that there is one shortest difference.
      const property = fc.property(fc.uniqueArray(fc.nat(30)), fc.nat(5), (changed, at) => {
        const before = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
        const after = before.map((text, index) =>
          index % 3 === 0 && changed.includes(index / 3) ? `new ${text}` : text,
        );
        const pair = { path: "a.ts", before: file(before.join("")), after: file(after.join("")) };
        const ids = idsOf(pair.before, pair.after);
        const left = ids.filter((_, index) => index !== at);
        const without = withHunks(pair, new Set(left));
        expect(idsOf(pair.before, without)).toEqual(left);
      });
      fc.assert(property, runs);
    },
    PROPERTY_TIMEOUT_MS,
  );
});

function idsOf(before: FileState | undefined, after: FileState | undefined): string[] {
  return describeChange({ path: "a.ts", before, after, sources: [] })?.hunks?.map(({ hunkId }) => hunkId) ?? [];
}

/** Builds the text from the runs of lines, of which the chosen ones are new. */
function modelOf(before: string, after: string, isChosen: readonly boolean[]): string {
  const [old, fresh] = [before, after].map((text) => text.match(/[^\n]*\n|[^\n]+/g) ?? []);
  let at = 0;
  let result = "";
  for (const [index, run] of compareLines(old!, fresh!).entries()) {
    result += old!.slice(at, run.oldStart).join("");
    result += (isChosen[index] ? fresh!.slice(run.newStart, run.newEnd) : old!.slice(run.oldStart, run.oldEnd)).join(
      "",
    );
    at = run.oldEnd;
  }
  return result + old!.slice(at).join("");
}

describe("merging", () => {
  test(
    "keeps both changes, or reports that they overlap",
    () => {
      const edit = fc.record({ at: fc.nat(19), text: fc.constantFrom("x\n", "y\n", "", "x\nz\n") });
      const edits = fc.uniqueArray(edit, { maxLength: 5, selector: ({ at }) => at });
      const property = fc.property(edits, edits, (ours, theirs) => {
        const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
        const edited = (list: typeof ours) =>
          lines.map((text, index) => list.find(({ at }) => at === index)?.text ?? text);
        const [mine, others] = [edited(ours), edited(theirs)];
        const merged = mergeChange(file(lines.join("")), file(mine.join("")), file(others.join("")));
        // They conflict only if both changed the same line differently.
        const clash = lines.some(
          (text, index) => mine[index] !== text && others[index] !== text && mine[index] !== others[index],
        );
        if (merged && !clash) {
          const expected = lines.map((text, index) => (mine[index] !== text ? mine[index] : others[index]));
          expect(textOf(merged.state)).toBe(expected.join(""));
        }
        if (clash) expect(merged).toBeUndefined();
      });
      fc.assert(property, runs);
    },
    PROPERTY_TIMEOUT_MS,
  );

  test(
    "gives the same text from either side",
    () => {
      const property = fc.property(textArbitrary, pairArbitrary, pairArbitrary, (base, one, other) => {
        const [before, ours, theirs] = [base, one.after, other.after].map((text) => file(text));
        const [left, right] = [mergeChange(before, ours, theirs), mergeChange(before, theirs, ours)];
        expect(textOf(left?.state)).toBe(textOf(right?.state));
        expect(textOf(mergeChange(before, ours, before)?.state)).toBe(one.after);
      });
      fc.assert(property, runs);
    },
    PROPERTY_TIMEOUT_MS,
  );
});
