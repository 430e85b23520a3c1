import { expect, test } from "bun:test";
import fc from "fast-check";
import { loadAstEngine } from "../../../../exec/src/native/ast-engine.ts";
import { AstWorkspace } from "../../support/tools/ast/ast-workspace.ts";

/** Source text in pieces; `OLD` marks the identifier. */
const OLD = Symbol("the identifier");
type Piece = string | typeof OLD;

const expression: fc.Arbitrary<Piece[]> = fc.letrec<{ expression: Piece[] }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4 },
    fc.constant<Piece[]>([OLD]),
    fc
      .constantFrom("1", "'oldName'", '"é oldName 𝒳"', "x.oldName", "oldNames", "`oldName`", "/oldName/")
      .map((text) => [text]),
    tie("expression").map((inner) => ["(", ...inner, " /* oldName */)"]),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => ["f(", ...a, ", ", ...b, ")"]),
    tie("expression").map((inner) => ["`日本 $", "{", ...inner, "} oldName`"]),
    tie("expression").map((inner) => ["[\n  ", ...inner, ",\n\t]"]),
  ),
})).expression;

const statement = expression.chain((value) =>
  fc.constantFrom<Piece[]>(
    ["const a = ", ...value, ";"],
    ["if (", ...value, ") { ", OLD, "(); }"],
    ["// oldName\n", OLD, "(", ...value, ");"],
    ["function ", OLD, "(p) { return ", ...value, "; }"],
  ),
);

const program = fc.record({
  statements: fc.array(statement, { maxLength: 6 }),
  lineBreak: fc.constantFrom("\n", "\r\n"),
  hasMark: fc.boolean(),
  endsOpen: fc.boolean(),
});

test("a rename changes every identifier of that name, and no other byte", async () => {
  await using at = new AstWorkspace();
  const engine = loadAstEngine();
  const identifiers = (source: string) => engine.parse("TypeScript", source).root().findAll("oldName");
  await fc.assert(
    fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 8 }), async (programs) => {
      const written = programs.map(({ statements, lineBreak, hasMark, endsOpen }, index) => {
        const pieces = statements.flatMap((each): Piece[] => [...each, "\n"]).slice(0, endsOpen ? -1 : undefined);
        const render = (name: string) =>
          (hasMark ? "\uFEFF" : "") +
          pieces.map((piece) => (piece === OLD ? name : piece.replaceAll("\n", lineBreak))).join("");
        return { file: `p${index}.ts`, before: render("oldName"), after: render("anotherName") };
      });
      at.write(Object.fromEntries(written.map(({ file, before }) => [file, before])));
      const paths = written.map(({ file }) => file).join(",");
      const { details } = await at.edit({ ops: [{ pat: "oldName", out: "anotherName" }], path: paths });
      expect(details.parseErrors).toBeUndefined();
      expect(written.map(({ file }) => at.read(file))).toEqual(written.map(({ before }) => before));
      if (details.totalReplacements > 0) expect(await at.apply()).toMatchObject({ isError: false });
      expect(written.map(({ file }) => at.read(file))).toEqual(written.map(({ after }) => after));
      for (const { file } of written) expect(identifiers(at.read(file))).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
