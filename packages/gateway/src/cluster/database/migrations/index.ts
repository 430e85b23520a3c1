import { CLUSTER } from "./0001-cluster.ts";

/** In the order they are applied; a number is its place, counted from 1. What was released is never changed, only followed. */
export const MIGRATIONS: readonly { name: string; sql: string }[] = [{ name: "cluster", sql: CLUSTER }];
