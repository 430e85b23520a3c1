import type { UsageRow } from "../page-data.ts";
import { amountOf, fieldsOf } from "./plain-value.ts";

/** Returns undefined if nothing was used, or no amount is known. */
export function usageRow(usage: unknown): UsageRow | undefined {
  const { input, output, cacheRead, cacheWrite, cost } = fieldsOf(usage);
  const amount = (value: unknown) => amountOf(value) ?? 0;
  const row: UsageRow = [
    amount(input),
    amount(output),
    amount(cacheRead),
    amount(cacheWrite),
    amount(fieldsOf(cost).total),
  ];
  return row.some((value) => value > 0) ? row : undefined;
}
