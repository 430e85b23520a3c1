import { describe, expect, test } from "bun:test";
import { type Outcome, playCorpus } from "../../support/tools/edit-corpus/score.ts";

// Tests edits in a dozen languages, each corrupted in every way in which models get text almost right. The lower bound
// is close to the current score; an edit is refused if it is ambiguous.
const MIN_SCORE = 0.98;

const outcomes = playCorpus();

function shown({ kind, sample, detail, notes }: Outcome): string {
  return `${kind} | ${sample} | ${notes.join("; ")}\n${detail}`;
}

describe("edits that are almost right", () => {
  test("damage no file", () => {
    expect(outcomes.filter(({ outcome }) => outcome === "damaged").map(shown)).toEqual([]);
  });

  test("mostly land", () => {
    const right = outcomes.filter(({ outcome }) => outcome === "right").length;
    expect(outcomes.length).toBeGreaterThan(1500);
    expect(right / outcomes.length).toBeGreaterThan(MIN_SCORE);
  });

  test("land in each kind", () => {
    const kinds = new Map<string, { right: number; all: number }>();
    for (const { kind, outcome } of outcomes) {
      const counts = kinds.get(kind) ?? { right: 0, all: 0 };
      kinds.set(kind, { right: counts.right + Number(outcome === "right"), all: counts.all + 1 });
    }
    const weak = [...kinds].filter(([, { right, all }]) => right < all * 0.6).map(([kind]) => kind);
    expect(weak).toEqual([]);
  });

  test("are reported unless the text is in the file unchanged", () => {
    const silent = outcomes.filter(
      ({ outcome, notes, isExact }) => outcome === "right" && !isExact && notes.length === 0,
    );
    expect(silent.map(({ kind, sample }) => `${kind} | ${sample}`)).toEqual([]);
  });

  test("are refused with the lines to look at and no share of likeness", () => {
    for (const { detail } of outcomes.filter(({ outcome }) => outcome === "refused")) {
      expect(detail).not.toContain("% the same");
      expect(detail).toMatch(/lines? \d+|Nothing in the file is similar/);
    }
  });
});
