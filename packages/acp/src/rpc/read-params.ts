import { isAbsolute } from "node:path";
import { isRecord } from "@pintle/ai";
import { invalidParams } from "./rpc-error.ts";

// Validates what a client sends; nothing checks it again later. Each function throws the error for the client.

type Params = Readonly<Record<string, unknown>>;

export function stringIn(params: Params, field: string): string {
  const value = params[field];
  if (typeof value !== "string") throw invalidParams(`${field} must be a string`);
  return value;
}

/** Treats null as absent. */
export function optionalStringIn(params: Params, field: string): string | undefined {
  return params[field] === undefined || params[field] === null ? undefined : stringIn(params, field);
}

export function pathIn(params: Params, field: string): string {
  const path = stringIn(params, field);
  if (!isAbsolute(path)) throw invalidParams(`${field} must be an absolute path`);
  return path;
}

export function optionalPathIn(params: Params, field: string): string | undefined {
  return params[field] === undefined || params[field] === null ? undefined : pathIn(params, field);
}

export function listIn(params: Params, field: string): unknown[] {
  const value = params[field];
  if (!Array.isArray(value)) throw invalidParams(`${field} must be an array`);
  return value;
}

export function optionalListIn(params: Params, field: string): unknown[] {
  return params[field] === undefined || params[field] === null ? [] : listIn(params, field);
}

export function recordsIn(params: Params, field: string): Record<string, unknown>[] {
  return optionalListIn(params, field).map((item, index) => {
    if (!isRecord(item)) throw invalidParams(`${field}[${index}] must be an object`);
    return item;
  });
}

export function pathsIn(params: Params, field: string): string[] {
  return optionalListIn(params, field).map((path) => pathIn({ [field]: path }, field));
}
