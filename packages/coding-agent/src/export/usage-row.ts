import type { UsageRow } from "@pintle/page";
import { amountOf, fieldsOf } from "./plain-value.ts";

/** undefined: nothing was used, or nobody wrote it down. */
export function usageRow(usage: unknown): UsageRow | undefined {
  const { input, output, cacheRead, cacheWrite, cost } = fieldsOf(usage);
  const amounts = [input, output, cacheRead, cacheWrite, fieldsOf(cost).total].map((value) => amountOf(value) ?? 0);
  return amounts.some((amount) => amount > 0) ? (amounts as unknown as UsageRow) : undefined;
}
