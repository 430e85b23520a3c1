// Rules for the sources of all packages that need the compiler: its syntax tree, and the types of expressions.
import assert from "node:assert/strict";
import { relative } from "node:path";
import { after, test } from "node:test";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";
import { root } from "../../scripts/paths.mjs";
import { COMPILER_ENV } from "../../scripts/typescript.mjs";

/** Only ever lowered: with a cast, the compiler has to trust us. */
const MOST_CASTS = { "coding-agent": 135 };

Object.assign(process.env, COMPILER_ENV);
const api = new API({ cwd: root });
after(() => api.close());
const [project] = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] }).getProjects();
const sources = project.program
  .getSourceFileNames()
  .map((name) => ({ name, path: relative(root, name) }))
  .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path))
  .map(({ name, path }) => ({ path, source: project.program.getSourceFile(name) }));
const found = sources.map(({ path, source }) => ({ path, source, ...collect(source) }));

test("there are sources to look at", () => assert.ok(found.length > 500, `${found.length} files`));

test("the number of casts does not grow", () => {
  for (const [name, most] of Object.entries(MOST_CASTS)) {
    const files = found.filter(({ path, casts }) => path.startsWith(`packages/${name}/`) && casts.length > 0);
    const count = files.reduce((sum, { casts }) => sum + casts.length, 0);
    const rows = files.map(({ path, casts }) => `${String(casts.length).padStart(4)} ${path}`).sort();
    assert.ok(count <= most, `${count} casts in ${name}, at most ${most}:\n${rows.join("\n")}`);
  }
});

test("a cast through unknown has a reason", () => {
  const bare = found.flatMap(({ path, source, casts }) =>
    casts
      .filter(({ expression }) => expression.kind === SyntaxKind.AsExpression && !hasComment(source, expression))
      .map((node) => place(path, source, node)),
  );
  assert.deepEqual(bare, []);
});

test("no promise floats: it is awaited, returned or caught, or `void` says why it cannot reject", () => {
  const floating = found.flatMap(({ path, source, unused, voided }) => {
    const reasonless = voided.filter((node) => !hasComment(source, node)).map(({ expression }) => expression);
    const open = [...unused, ...reasonless].filter((node) => !isCaught(node));
    const types = open.length > 0 ? project.checker.getTypeAtLocation(open) : [];
    return open.filter((_, index) => isPromise(types[index])).map((node) => place(path, source, node));
  });
  assert.equal(floating.join("\n"), "");
});

/** Casts, expressions whose value is dropped, and those that `void` drops on purpose. */
function collect(source) {
  const casts = [];
  const unused = [];
  const voided = [];
  const visit = (node) => {
    if (node.kind === SyntaxKind.AsExpression && textOf(source, node.type) !== "const") casts.push(node);
    if (node.kind === SyntaxKind.VoidExpression) voided.push(node);
    if (node.kind === SyntaxKind.ExpressionStatement) unused.push(...results(node.expression));
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return { casts, unused, voided };
}

/** What a standalone expression may consist of. */
function results(node) {
  if (node.kind === SyntaxKind.AwaitExpression || node.kind === SyntaxKind.VoidExpression) return [];
  if (node.kind === SyntaxKind.ParenthesizedExpression) return results(node.expression);
  if (node.kind === SyntaxKind.ConditionalExpression) return [...results(node.whenTrue), ...results(node.whenFalse)];
  if (node.kind !== SyntaxKind.BinaryExpression) return [node];
  const isShort = ["&&", "||", "??"].includes(node.operatorToken.getText());
  return isShort ? results(node.right) : [];
}

/** `.catch(f)` and `.then(f, g)`, optionally followed by `.finally`. */
function isCaught(node) {
  if (node.kind !== SyntaxKind.CallExpression || node.expression.kind !== SyntaxKind.PropertyAccessExpression)
    return false;
  const { expression, name } = node.expression;
  if (name.text === "catch") return true;
  if (name.text === "then" && node.arguments.length > 1) return true;
  return name.text === "finally" && isCaught(expression);
}

function isPromise(type) {
  if (!type) return false;
  return (type.isUnionType() ? type.getTypes() : [type]).some(
    (part) => part.getSymbol() !== undefined && ["Promise", "PromiseLike"].includes(part.getSymbol().name),
  );
}

/** On its line or in the one above. */
function hasComment(source, node) {
  const lines = source.text.split("\n");
  const line = lineOf(source, node) - 1;
  return /\/\/|\*\//.test(lines[line]) || /^\s*(?:\/\/|\*|\/\*)/.test(lines[line - 1] ?? "");
}

function place(path, source, node) {
  return `${path}:${lineOf(source, node)} ${textOf(source, node).split("\n")[0]}`;
}

function lineOf(source, node) {
  return source.text.slice(0, node.getStart(source)).split("\n").length;
}

function textOf(source, node) {
  return source.text.slice(node.getStart(source), node.end);
}
