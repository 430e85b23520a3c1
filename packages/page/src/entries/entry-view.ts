import { languageOfFile } from "@pintle/highlight/languages";
import { codeBlock } from "../code/code-view.ts";
import { copyButton } from "../copy/copy-button.ts";
import { type Child, h } from "../dom.ts";
import { entryHash } from "../entry-hash.ts";
import { clockTime, count, dateAndTime, duration, money, shortNumber } from "../format.ts";
import { markdown, plainProse } from "../markdown/rich-text.ts";
import { tokenSum } from "../overview/figures.ts";
import type {
  Block,
  Body,
  FilesBody,
  MessageBody,
  Row,
  ShellBody,
  SubagentBody,
  SummaryBody,
  ToolBody,
} from "../page-data.ts";
import type { PageSource } from "../page-source.ts";
import type { AnswerTotal, Conversation } from "../tree/conversation.ts";
import { NAMES } from "../tree/entry-names.ts";
import type { Folds } from "./folds.ts";
import { toolCard } from "./tool-card.ts";

export interface EntryContext {
  source: Pick<PageSource, "rows" | "body" | "image">;
  conversation: Conversation;
  folds: Folds;
  /** The target of a link to the entry; within the page by default. */
  link?(row: Row): string;
  /** The target of a link to the conversation of a subagent, or undefined if the page does not contain it. */
  linkToSubagent?(subagent: string): string | undefined;
  /** The actions for an entry, shown in its header. */
  actions?(row: Row): Child;
  /** The text is already on the page, where it was streamed; its element is moved into the entry. */
  written?(text: string): HTMLElement | undefined;
  /** Returns the URL of a referenced image that the page may show. */
  loadImage?(reference: string, mimeType: string): Promise<string | undefined>;
  /** The label of a call without a result. */
  unanswered?(callId: string): string;
}

type Maker = (body: never, place: number, context: EntryContext) => Child;

const MAKERS: Record<Row["kind"], Maker> = {
  user: (body: MessageBody, _, context) => body.blocks.map((block) => userBlock(block, context)),
  note: (body: MessageBody, _, context) => body.blocks.map((block) => answerBlock(block, context)),
  assistant: (body: MessageBody, place, context) => {
    const row = context.source.rows[place] as Row;
    const total = context.conversation.totalOf.get(place);
    return [
      body.blocks.map((block) => answerBlock(block, context, row)),
      ending(row, body),
      total && foot(total, body),
    ];
  },
  tool: (body: ToolBody, place, context) =>
    toolCard({ place, context, result: body, summary: "its call is not in this conversation" }),
  shell: (body: ShellBody) => [
    codeBlock(body.command, { language: body.language, className: "command", lines: 12, label: "Command" }),
    body.output !== "" && codeBlock(body.output, { lines: 24, side: "end", className: "output", label: "Output" }),
    body.note && h("p", { class: "remark" }, body.note),
    body.exitCode !== undefined && body.exitCode !== 0 && h("p", { class: "remark bad" }, `exit ${body.exitCode}`),
  ],
  system: folded,
  compaction: folded,
  branch: folded,
  files: (body: FilesBody, _, context) =>
    body.files.map(({ path, content, image }) => [
      h("div", { class: "hit-file" }, path),
      image && imageElement(image, context),
      content !== "" && codeBlock(content, { language: languageOfFile(path), firstLine: 1, lines: 12, label: path }),
    ]),
  subagent: ({ startedBy }: SubagentBody) =>
    startedBy !== undefined && h("a", { href: entryHash(startedBy) }, "The call that started it"),
  data: (body: { value: unknown }) => codeBlock(JSON.stringify(body.value, null, 2), { language: "json", lines: 12 }),
  change: () => undefined,
};

const OUT: Record<NonNullable<Row["out"]>, string> = {
  excluded: "not shown to the model",
  withdrawn: "withdrawn: the call was made again",
  pruned: "output removed from the context",
};

/** One entry, complete. */
export function entryElement(place: number, context: EntryContext, position: { at: number; of: number }): HTMLElement {
  const row = context.source.rows[place] as Row;
  const article = h("article", {
    class: [
      `entry ${row.kind}`,
      row.state && `is-${row.state}`,
      row.out && "is-out",
      context.conversation.continuing.has(place) && "is-continuing",
    ]
      .filter(Boolean)
      .join(" "),
    "data-row": place,
    tabindex: -1,
    "aria-posinset": position.at + 1,
    "aria-setsize": position.of,
    "aria-label": `${NAMES[row.kind]}: ${row.title.slice(0, 80)}`,
  });
  if (row.kind === "change") {
    article.append(h("span", { class: "change-text" }, row.title, " ", permalink(row, context)));
    return article;
  }
  const body = context.source.body(place, row.kind) as Body;
  article.append(
    entryHead(row, place, context),
    h("div", { class: "entry-body" }, MAKERS[row.kind](body as never, place, context)),
  );
  return article;
}

function entryHead(row: Row, place: number, context: EntryContext): HTMLElement {
  const { conversation } = context;
  const turn = conversation.turnOf.get(place);
  const figures = [
    row.kind === "assistant" && row.ms !== undefined && duration(row.ms),
    row.usage && `${shortNumber(tokenSum(row.usage))} tokens`,
    row.usage && row.usage[4] > 0 && money(row.usage[4]),
  ].filter((fact) => typeof fact === "string");
  const body = row.kind === "user" ? context.source.body(place, "user") : undefined;
  return h(
    "header",
    { class: "entry-head" },
    h("h3", {}, headingOf(row)),
    turn !== undefined && turnElement(turn, figures.join(" · ")),
    row.label !== undefined && h("span", { class: "label" }, row.label),
    row.out && h("span", { class: "badge" }, OUT[row.out]),
    h("span", { class: "facts" }, conversation.newModels.has(place) && row.model),
    h(
      "time",
      { datetime: row.at > 0 ? new Date(row.at).toISOString() : "", title: dateAndTime(row.at) },
      clockTime(row.at),
    ),
    body && copyButton("message", () => textOf(body)),
    context.actions?.(row),
    permalink(row, context),
  );
}

/** In the header of an answer whose number was not known when it was built. */
export function showTurn(article: HTMLElement, { conversation }: EntryContext): void {
  const turn = conversation.turnOf.get(Number(article.dataset.row));
  const heading = article.querySelector(".entry-head > h3");
  if (turn === undefined || !heading || heading.nextElementSibling?.classList.contains("turn")) return;
  heading.after(turnElement(turn, ""));
}

/** The figures of a turn are a detail: shown as a tooltip of the mark, and in full when the mark is pressed. */
function turnElement(turn: number, figures: string): HTMLElement {
  const text = `turn ${turn}`;
  if (figures === "") return h("span", { class: "turn" }, text);
  return h(
    "details",
    { class: "turn-figures" },
    h("summary", { class: "turn", title: figures }, text),
    h("span", { class: "figures" }, figures),
  );
}

/** The end of an answer: its total figures, and a button that copies its text. */
function foot({ turns, tokens, cost, ms }: AnswerTotal, body: MessageBody): HTMLElement {
  const facts = [
    ms !== undefined && duration(ms),
    turns > 1 && count(turns, "turn"),
    tokens > 0 && `${shortNumber(tokens)} tokens`,
    cost > 0 && money(cost),
  ].filter((fact) => typeof fact === "string");
  return h(
    "footer",
    { class: "answer-foot", "data-total": facts.join(" · ") },
    textOf(body) !== "" && copyButton("answer", () => textOf(body)),
  );
}

function textOf({ blocks }: MessageBody): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

function headingOf({ kind, title }: Row): string {
  if (kind === "note") return title.split(":")[0] ?? NAMES.note;
  return kind === "compaction" || kind === "subagent" ? title : NAMES[kind];
}

export function permalink(row: Row, { link }: EntryContext, label = "Link to this entry"): HTMLElement {
  const href = link?.(row) ?? entryHash(row.id);
  return h("a", { class: "permalink", href, "aria-label": label, title: label }, "#");
}

function userBlock(block: Block, context: EntryContext): Child {
  return block.type === "text" ? plainProse(block.text) : answerBlock(block, context);
}

function answerBlock(block: Block, context: EntryContext, row?: Row): Child {
  if (block.type === "text") return context.written?.(block.text) ?? markdown(block.text);
  if (block.type === "thinking") {
    return (
      context.written?.(block.text) ??
      h(
        "details",
        { class: "thinking", open: context.folds.isOpen("thinking", false) },
        h("summary", {}, "Thinking", h("span", { class: "teaser", "aria-hidden": "true" }, teaser(block.text))),
        markdown(block.text),
      )
    );
  }
  if (block.type === "redacted") return h("p", { class: "remark" }, "Thinking, encrypted by the provider");
  if (block.type === "call") {
    const summary = row?.calls?.find(({ id }) => id === block.id)?.summary ?? "";
    return toolCard({ place: context.conversation.resultOf.get(block.id), context, call: block, summary });
  }
  return imageElement(block, context);
}

/** Its beginning, without Markdown syntax. */
export function teaser(text: string): string {
  return text.slice(0, 200).replace(/\*\*|`+|^#{1,6} /gm, "");
}

export function imageElement(block: Block, { source, loadImage }: EntryContext): Node {
  const address = block.type === "image" ? source.image(block.image) : undefined;
  const image = h("img", { alt: "Image in the conversation", loading: "lazy" });
  const missing = (note: string) => h("p", { class: "remark missing" }, note);
  const show = (shown: string | undefined) => {
    if (shown?.startsWith("data:image/")) image.src = shown;
    else image.replaceWith(missing("Image unavailable"));
  };
  if (block.type === "missing") return missing(block.note);
  if (block.type !== "image" || address === undefined) return missing("Image unavailable");
  if (address.startsWith("data:image/")) show(address);
  else if (loadImage)
    loadImage(address, block.mimeType)
      .then(show)
      .catch(() => show(undefined));
  else return missing("Image unavailable");
  return image;
}

function folded(body: SummaryBody): Child {
  const isLong = body.text.length > 1500;
  const content = [
    body.facts.map((fact) => h("p", { class: "remark" }, fact)),
    body.text !== "" && markdown(body.text),
  ];
  return isLong
    ? h("details", {}, h("summary", {}, `${body.text.length.toLocaleString()} characters`), content)
    : content;
}

const ENDINGS: Record<NonNullable<Row["state"]>, string> = {
  error: "The answer failed",
  aborted: "Aborted",
  length: "Cut: the answer reached the length limit",
};

function ending({ state }: Row, { error }: MessageBody): Child {
  if (!state) return undefined;
  return h("p", { class: `ending ${state}` }, h("strong", {}, ENDINGS[state]), error && `: ${error.slice(0, 4000)}`);
}
