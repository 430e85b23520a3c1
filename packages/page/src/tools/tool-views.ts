import { languageOfFile } from "@pintle/highlight/languages";
import { codeBlock } from "../code/code-view.ts";
import { diffTexts } from "../code/diff-model.ts";
import { diffCounts, diffView } from "../code/diff-view.ts";
import { type DiffLine, parseDiff } from "../code/parse-diff.ts";
import { type Child, h } from "../dom.ts";
import { count } from "../format.ts";
import { ask } from "./ask-view.ts";
import { searchContent } from "./search-view.ts";
import { task } from "./task-view.ts";
import { todoContent } from "./todo-view.ts";
import {
  argument,
  fields,
  lineCount,
  list,
  resultDetails,
  resultText,
  string,
  type ToolCallView,
  type ToolPicture,
} from "./tool-parts.ts";

/** The views of calls and their results, by the names that tools have in several agents. */
export function toolPicture(view: ToolCallView): ToolPicture {
  const make = VIEWS.find(({ names }) => names.test(view.head.name))?.make ?? generic;
  return make(view) ?? generic(view);
}

const VIEWS: readonly { names: RegExp; make(view: ToolCallView): ToolPicture | undefined }[] = [
  { names: /^(?:bash|shell|exec|sh|terminal|run_command|python|eval)$/i, make: shell },
  { names: /^(?:read|view|cat|read_file)$/i, make: readFile },
  { names: /^(?:write|create|write_file)$/i, make: writeFile },
  { names: /^(?:edit|multi_?edit|apply_patch|str_replace|ast_edit|replace|patch)/i, make: change },
  { names: /^(?:grep|find|ls|glob|search|ast_grep|list)/i, make: search },
  { names: /^todo/i, make: todo },
  { names: /^resolve$/i, make: resolve },
  { names: /^ask/i, make: ask },
  { names: /^task$/i, make: task },
];

function shell(view: ToolCallView): ToolPicture {
  const command = argument(view.args, "command", "cmd", "code", "script") ?? "";
  const output = resultText(view);
  const { exitCode } = resultDetails(view);
  const isPython = /python|eval/i.test(view.head.name);
  return {
    icon: "$",
    remark:
      typeof exitCode === "number" && exitCode !== 0
        ? h("span", { class: "bad" }, `exit ${exitCode}`)
        : view.result && outcome(output),
    content: [
      // A short command is already in the line above.
      command !== view.head.summary &&
        codeBlock(command, { language: isPython ? "py" : "sh", lines: 12, className: "command", label: "Command" }),
      output !== "" && codeBlock(output, { lines: 14, side: "end", className: "output", label: "Output" }),
      images(view),
    ],
    isOpen: hasFailed(view),
  };
}

/** Longest output that is shown in the line of its call. */
const SHORT_OUTPUT = 40;

/** Summarizes what a command printed. */
function outcome(output: string): string {
  const text = output.trim();
  if (text === "" || text === "(no output)") return "no output";
  return text.length <= SHORT_OUTPUT && !text.includes("\n") ? text : count(lineCount(text), "line");
}

function readFile(view: ToolCallView): ToolPicture {
  const path = argument(view.args, "path", "file_path", "filePath", "file") ?? "";
  const text = resultText(view);
  const isImage = view.result?.body.blocks.some((block) => block.type !== "text") ?? false;
  const isDirectory = resultDetails(view).kind === "directory";
  const isError = hasFailed(view);
  const offset = Number(view.args.offset ?? 1);
  const content =
    isImage || isDirectory || isError
      ? codeBlock(text, { label: path, className: "output" })
      : codeBlock(text, { language: languageOfFile(path), firstLine: offset > 0 ? offset : 1, label: path });
  return {
    icon: "≡",
    remark: !isImage && !isError && view.result && count(lineCount(text), "line"),
    content: [text !== "" && content, images(view)],
    isOpen: isImage || isError,
  };
}

function writeFile(view: ToolCallView): ToolPicture {
  const path = argument(view.args, "path", "file_path", "filePath", "file") ?? "";
  const text = argument(view.args, "content", "text", "file_text") ?? "";
  const { diff } = resultDetails(view);
  const lines = typeof diff === "string" && diff !== "" ? parseDiff(diff) : undefined;
  return {
    icon: "+",
    remark: hasFailed(view) ? undefined : lines ? counts(lines) : count(lineCount(text), "line"),
    content: [
      ifError(view),
      lines
        ? diffView(lines)
        : codeBlock(text, { language: languageOfFile(path), firstLine: 1, lines: 24, label: path }),
    ],
    isOpen: lines !== undefined || view.result === undefined || hasFailed(view),
  };
}

function change(view: ToolCallView): ToolPicture | undefined {
  const { diff, resolution, applied } = resultDetails(view);
  const lines = typeof diff === "string" && diff !== "" ? parseDiff(diff) : argumentDiff(view.args);
  if (!lines) return undefined;
  const isPreview = applied === false || view.decision !== undefined || resolution !== undefined;
  if (hasFailed(view)) {
    const tried = h("details", { class: "again" }, h("summary", {}, "What it tried to change"), diffView(lines));
    return { icon: "±", content: [ifError(view), tried], isOpen: true };
  }
  return {
    icon: "±",
    remark: counts(lines),
    content: [isPreview && decisionBanner(view), diffView(lines)],
    isOpen: true,
  };
}

/** For tools whose change is known only from the arguments. */
function argumentDiff(args: Readonly<Record<string, unknown>>): DiffLine[] | undefined {
  const patch = argument(args, "patch", "input", "diff");
  if (patch !== undefined && /^[+-]/m.test(patch)) return parseDiff(patch);
  const edits = list(args.edits).length > 0 ? list(args.edits).map(fields) : [args];
  const lines = edits.flatMap((edit, index): DiffLine[] => {
    const before = argument(edit, "oldText", "old_string", "old_str", "old_text");
    const after = argument(edit, "newText", "new_string", "new_str", "new_text");
    if (before === undefined || after === undefined) return [];
    return [...(index > 0 ? [{ kind: "gap", text: "" } as const] : []), ...diffTexts(before, after)];
  });
  return lines.length > 0 ? lines : undefined;
}

function counts(lines: readonly DiffLine[]): Child {
  const { added, removed } = diffCounts(lines);
  return [h("span", { class: "plus" }, `+${added}`), " ", h("span", { class: "minus" }, `−${removed}`)];
}

/** What happened to a change that was only previewed at first. */
function decisionBanner(view: ToolCallView): HTMLElement {
  const [host] = list(resultDetails(view).resolution).map(fields);
  const verdict = host ? string(host.action) : view.decision?.verdict;
  const reason = host ? string(host.reason) : (view.decision?.reason ?? "");
  const by = host ? string(host.by) : (view.decision?.by ?? "");
  const { discarded, edited } = host ?? {};
  const rest = fields(discarded);
  const isPart = verdict === "apply" && list(rest.files).length + list(rest.hunks).length > 0;
  const [className, text] = VERDICTS[isPart ? "part" : (verdict ?? "")] ?? ["open", "Preview: no decision yet"];
  return h(
    "p",
    { class: `decision ${className}` },
    h("strong", {}, text),
    list(edited).length > 0 && ", with edits",
    by !== "" && ` by the ${by}`,
    reason !== "" && h("span", { class: "reason" }, ` — ${reason}`),
  );
}

const VERDICTS: Record<string, readonly [string, string]> = {
  apply: ["applied", "Preview, applied"],
  part: ["applied", "Preview, applied in part"],
  discard: ["discarded", "Preview, discarded"],
};

function resolve(view: ToolCallView): ToolPicture {
  const { action, reason, label, sourceResultDetails } = resultDetails(view);
  const verdict = string(action) || string(view.args.action);
  const { diff } = fields(sourceResultDetails);
  return {
    icon: verdict === "apply" ? "✓" : "✗",
    content: [
      h(
        "p",
        { class: `decision ${VERDICTS[verdict]?.[0] ?? "open"}` },
        h("strong", {}, verdict === "apply" ? "Applied" : "Discarded"),
        string(label) !== "" && `: ${string(label)}`,
        h("span", { class: "reason" }, ` — ${string(reason) || string(view.args.reason)}`),
      ),
      // The preview above already shows the same.
      typeof diff === "string" &&
        diff !== "" &&
        h("details", { class: "again" }, h("summary", {}, "The changes"), diffView(parseDiff(diff))),
      ifError(view),
    ],
    isOpen: hasFailed(view),
  };
}

function search(view: ToolCallView): ToolPicture {
  const text = resultText(view);
  const isError = hasFailed(view);
  return {
    icon: "⌕",
    remark: !isError && view.result && count(lineCount(text), "line"),
    content: isError ? codeBlock(text, { className: "output", label: "Error" }) : searchContent(text),
    isOpen: isError,
  };
}

function todo(view: ToolCallView): ToolPicture | undefined {
  const content = todoContent(resultDetails(view), view.args);
  return content && { icon: "☑", content: [content, ifError(view)], isOpen: hasFailed(view) };
}

function generic(view: ToolCallView): ToolPicture {
  const text = resultText(view);
  const hasArguments = Object.keys(view.args).length > 0;
  const details = view.result?.body.details;
  const isStaged = view.decision !== undefined || resultDetails(view).resolution !== undefined;
  return {
    icon: "{}",
    content: [
      isStaged && decisionBanner(view),
      hasArguments && [h("div", { class: "part" }, "Arguments"), json(view.args, 16)],
      text !== "" && [
        h("div", { class: "part" }, "Result"),
        looksLikeJson(text)
          ? codeBlock(text, { language: "json", lines: 20, label: "Result" })
          : codeBlock(text, { lines: 20, className: "output", label: "Result" }),
      ],
      details !== undefined &&
        Object.keys(fields(details)).length > 0 && [h("div", { class: "part" }, "Details"), json(details, 8)],
      images(view),
    ],
    isOpen: hasFailed(view),
  };
}

function json(value: unknown, lines: number): Child {
  return codeBlock(JSON.stringify(value, null, 2) ?? "", { language: "json", lines });
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function images(view: ToolCallView): Child {
  return (view.result?.body.blocks ?? []).filter((block) => block.type !== "text").map((block) => view.image(block));
}

/** It failed or was stopped, and the reader should see why. */
function hasFailed({ result }: ToolCallView): boolean {
  return result?.row.state === "error" || result?.row.state === "aborted";
}

function ifError(view: ToolCallView): Child {
  return hasFailed(view) && codeBlock(resultText(view), { lines: 20, className: "output" });
}
