import { GrowingList } from "./growing-list.ts";
import type { ProviderMessage } from "./messages.ts";
import type { Model } from "./model.ts";

/** A conversion that takes in messages one by one. */
export interface Conversion {
  add(message: ProviderMessage): void;
}

/**
 * Keeps what the requests of one conversation have in common, so that each costs what it adds: the converted messages and
 * their JSON. Messages never change, so they are compared by identity. A request of another conversation, or to another
 * model, starts over.
 */
export class RequestMemory {
  /** The JSON of the request's messages. */
  readonly list = new GrowingList();
  #key = "";
  #messages: readonly ProviderMessage[] = [];
  #conversion: Conversion | undefined;

  /** Returns the conversion of these messages for this model. `create` makes an empty one, always of the same kind per API. */
  convert<C extends Conversion>(model: Model, messages: readonly ProviderMessage[], create: () => C): C {
    const key = JSON.stringify(model);
    const isContinued = key === this.#key && this.#messages.every((message, index) => message === messages[index]);
    const known = isContinued ? this.#conversion : undefined;
    const from = known ? this.#messages.length : 0;
    const conversion = known ?? create();
    this.#conversion = undefined; // in case a message cannot be converted
    for (let index = from; index < messages.length; index += 1) conversion.add(messages[index]!);
    this.#key = key;
    this.#messages = messages;
    this.#conversion = conversion;
    return conversion as C; // the key contains the API
  }
}
