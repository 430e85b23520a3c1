import type * as agent from "@pintle/agent/schemas";
import type * as ai from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static, TSchema } from "typebox";
import type * as data from "./data/index.ts";

type Declared = typeof ai & typeof agent & typeof data;

/** The types that have a name on the wire, by that name. */
type NamedTypes = {
  [K in keyof Declared as K extends `${infer Name}Schema` ? Name : never]: Declared[K] extends TSchema
    ? Static<Declared[K]>
    : never;
};

/** Refers to a type by name, so that code loaded at startup need not build its schema. */
export function ref<N extends keyof NamedTypes & string>(name: N) {
  return Type.Unsafe<NamedTypes[N]>(Type.Ref(name));
}

/** A list whose handler checks the items itself, because its errors need specific messages. */
export function uncheckedList(itemName: keyof NamedTypes & string) {
  return Type.Unsafe<unknown[]>(Type.Array(Type.Ref(itemName)));
}
