import { ProviderError } from "../../errors.ts";
import type { MessageBuilder } from "../../message-builder.ts";
import type { WireToolCallDelta } from "./wire.ts";

/** A partial call. Its block starts when it has an id and a name; until then the arguments are buffered. */
interface Call {
  index: number | undefined;
  id: string;
  name: string;
  contentIndex: number | undefined;
  kept: string;
  /** All arguments so far. */
  json: string;
  thoughtSignature: string | undefined;
}

/** The content of one fragment; empty where it has none. */
interface Fragment {
  index: number | undefined;
  id: string;
  name: string;
  args: string;
}

/**
 * Assembles tool calls from fragments. OpenAI numbers them; other servers omit or repeat the number, the id or the
 * name, or number every call 0. Blocks stay open until the answer is complete, because fragments of parallel calls may
 * alternate.
 */
export class ToolCallAssembler {
  readonly #out: MessageBuilder;
  /** Called before a block starts. */
  readonly #onStart: () => void;
  readonly #calls: Call[] = [];
  /** The newest call with this number. */
  readonly #byIndex = new Map<number, Call>();
  #last: Call | undefined;

  constructor(out: MessageBuilder, onStart: () => void) {
    this.#out = out;
    this.#onStart = onStart;
  }

  get hasCalls(): boolean {
    return this.#calls.some(({ contentIndex }) => contentIndex !== undefined);
  }

  add(delta: WireToolCallDelta): void {
    const fragment = toFragment(delta);
    const call = this.#callOf(fragment);
    this.#last = call;
    if (call.index === undefined && fragment.index !== undefined) {
      call.index = fragment.index;
      this.#byIndex.set(fragment.index, call);
    }
    call.id ||= fragment.id;
    call.name ||= fragment.name;
    this.#sign(call, delta.extra_content?.google?.thought_signature);
    this.#append(call, fragment.args);
  }

  /** Called when the answer is complete. Starts calls that still have no id; the builder ends the blocks. */
  finish(): void {
    for (const call of this.#calls) {
      if (call.contentIndex !== undefined || (call.name === "" && call.kept === "")) continue;
      if (call.name === "") throw new ProviderError("protocol", "The server sent a tool call without a name");
      call.id ||= `call_${crypto.randomUUID().replaceAll("-", "")}`;
      this.#start(call);
    }
  }

  #append(call: Call, args: string): void {
    call.json += args;
    if (call.contentIndex !== undefined) this.#out.append(call.contentIndex, args);
    else {
      call.kept += args;
      if (call.id !== "" && call.name !== "") this.#start(call);
    }
  }

  #start(call: Call): void {
    this.#onStart();
    const { id, name, thoughtSignature } = call;
    call.contentIndex = this.#out.startToolCall({ id, name, ...(thoughtSignature && { thoughtSignature }) });
    this.#out.append(call.contentIndex, call.kept);
    call.kept = "";
  }

  #sign(call: Call, signature: unknown): void {
    if (typeof signature !== "string" || signature === "") return;
    call.thoughtSignature = signature;
    if (call.contentIndex !== undefined) this.#out.sign(call.contentIndex, signature);
  }

  #callOf(fragment: Fragment): Call {
    const candidate = this.#candidate(fragment.index);
    if (fragment.id !== "" && fragment.id !== candidate?.id) {
      const sameId = this.#calls.findLast((call) => isSameId(call, fragment));
      if (sameId && !isNumberedApart(sameId, fragment)) return sameId;
    }
    return candidate && !isNewCall(candidate, fragment) ? candidate : this.#create(fragment);
  }

  #candidate(index: number | undefined): Call | undefined {
    if (index === undefined) return this.#last;
    // A number that arrives late belongs to the call that has none yet.
    return this.#byIndex.get(index) ?? (this.#last?.index === undefined ? this.#last : undefined);
  }

  #create({ index }: Fragment): Call {
    const call: Call = {
      index,
      id: "",
      name: "",
      contentIndex: undefined,
      kept: "",
      json: "",
      thoughtSignature: undefined,
    };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }
}

function toFragment({ index, id, function: named }: WireToolCallDelta): Fragment {
  const args: unknown = named?.arguments;
  return {
    index: typeof index === "number" ? index : undefined,
    id: typeof id === "string" ? id : "",
    name: typeof named?.name === "string" ? named.name : "",
    args: typeof args === "string" ? args : args ? JSON.stringify(args) : "",
  };
}

function isSameId(call: Call, { id, name }: Fragment): boolean {
  return call.id === id && (name === "" || call.name === "" || call.name === name);
}

/** A different number together with a name begins another call, even under an id that is in use. */
function isNumberedApart(call: Call, { index, name }: Fragment): boolean {
  return name !== "" && index !== undefined && call.index !== undefined && index !== call.index;
}

/** Returns whether a fragment that would continue `call` actually begins another one. */
function isNewCall(call: Call, { id, name, args }: Fragment): boolean {
  const isOtherId = id !== "" && call.id !== "" && id !== call.id;
  // Some servers generate an id per fragment, but name a call only once.
  if (name === "") return isOtherId && call.name === "";
  if (isOtherId) return true;
  if (call.name !== "" && call.name !== name) return true;
  // Without ids, a second call of the same tool is visible only as a second object of arguments.
  return call.name === name && args.startsWith("{") && isWholeObject(call.json);
}

function isWholeObject(json: string): boolean {
  if (!json.endsWith("}")) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
