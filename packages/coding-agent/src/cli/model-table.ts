import type { Model } from "@pintle/ai";

const COLUMNS: readonly (readonly [string, (model: Model) => string])[] = [
  ["provider", (model) => model.provider],
  ["model", (model) => model.id],
  ["context", (model) => inThousands(model.contextWindow)],
  ["max output", (model) => inThousands(model.maxTokens)],
  ["thinking", (model) => (model.reasoning ? "yes" : "no")],
  ["images", (model) => (model.input.includes("image") ? "yes" : "no")],
];

/** Returns the models whose names contain the text. */
export function searchModels(models: readonly Model[], search: string): Model[] {
  const wanted = search.toLowerCase();
  return models.filter(({ provider, id, name }) => `${provider}/${id} ${name}`.toLowerCase().includes(wanted));
}

/** Returns the output of `--list-models`. */
export function modelTable(models: readonly Model[]): string {
  const rows = [COLUMNS.map(([title]) => title), ...models.map((model) => COLUMNS.map(([, cell]) => cell(model)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return `${rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")}\n`;
}

function inThousands(tokens: number): string {
  return tokens >= 1_000_000 ? `${Math.round(tokens / 100_000) / 10}M` : `${Math.round(tokens / 1000)}K`;
}
