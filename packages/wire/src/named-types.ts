import type * as agent from "@pintle/agent/schemas";
import type * as ai from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static, TSchema } from "typebox";
import type * as data from "./data/index.ts";

type Declared = typeof ai & typeof agent & typeof data;

/** By name: the types that have one on the wire. */
type NamedTypes = {
  [K in keyof Declared as K extends `${infer Name}Schema` ? Name : never]: Declared[K] extends TSchema
    ? Static<Declared[K]>
    : never;
};

/** A type by its name. Its schema need not be there, so what a start loads can speak of types without building them. */
export function ref<N extends keyof NamedTypes & string>(name: N) {
  return Type.Unsafe<NamedTypes[N]>(Type.Ref(name));
}

/** A list whose handler checks the items itself, because its faults need words of their own. */
export function uncheckedList(itemName: keyof NamedTypes & string) {
  return Type.Unsafe<unknown[]>(Type.Array(Type.Ref(itemName)));
}
