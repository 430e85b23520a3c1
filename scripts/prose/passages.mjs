// Extracts the prose of a file: comments, documentation, messages and test names, each with its first line.
import { Lang, parse } from "@ast-grep/napi";

/** @typedef {"comments" | "docs" | "messages" | "tests"} Kind */
/** @typedef {{ kind: Kind, line: number, text: string }} Passage */

const READERS = {
  ".md": readMarkdown,
  ".py": readPython,
  ".ts": (source, isTest) => readScript(Lang.TypeScript, source, isTest),
  ".tsx": (source, isTest) => readScript(Lang.Tsx, source, isTest),
  ".mjs": (source, isTest) => readScript(Lang.JavaScript, source, isTest),
  ".js": (source, isTest) => readScript(Lang.JavaScript, source, isTest),
};

/** Functions of the test runners whose first argument is the name of a test. */
const TEST_FUNCTIONS = /^(test|it|describe|where|describeStores)\b/;

/** @returns {Passage[]} */
export function readPassages(path, source) {
  const reader = READERS[/\.[a-z]+$/.exec(path)?.[0] ?? ""];
  return reader?.(source, /\.test\.[a-z]+$/.test(path)) ?? [];
}

function readScript(language, source, isTest) {
  const root = parse(language, source).root();
  const find = (kind) => root.findAll({ rule: { kind } });
  return [
    ...find("comment").map((node) => passage("comments", node)),
    ...[...find("string"), ...find("template_string")].flatMap((node) => {
      if (isTestName(node)) return [passage("tests", node)];
      // Strings in tests are mostly data.
      return isTest || !isSentence(node.text()) ? [] : [passage("messages", node)];
    }),
  ];
}

function isTestName(node) {
  const call = node.parent()?.parent();
  return call?.kind() === "call_expression" && TEST_FUNCTIONS.test(call.field("function")?.text() ?? "");
}

/** Identifiers, wire values and single words are not prose. */
function isSentence(text) {
  return /[a-z]+ [a-z]+ [a-z]+/i.test(text);
}

function passage(kind, node) {
  return { kind, line: node.range().start.line + 1, text: node.text() };
}

/** Text without code blocks and inline code. */
function readMarkdown(source) {
  let fence;
  return source.split("\n").flatMap((text, index) => {
    const mark = /^\s*(```+|~~~+)/.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      return [];
    }
    return fence === undefined ? [{ kind: "docs", line: index + 1, text: text.replace(/`[^`]*`/g, "`") }] : [];
  });
}

const PYTHON_TOKENS =
  /(?<comment>#.*)|(?<long>"""[\s\S]*?"""|'''[\s\S]*?''')|(?<short>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;

function readPython(source) {
  return [...source.matchAll(PYTHON_TOKENS)].flatMap(({ 0: text, index, groups }) => {
    if (groups.short !== undefined && !isSentence(text)) return [];
    const line = source.slice(0, index).split("\n").length;
    return [{ kind: groups.short === undefined ? "comments" : "messages", line, text }];
  });
}
