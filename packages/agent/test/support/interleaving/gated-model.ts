// The builder is not part of ai's public interface; this is a model for tests.
import { AssistantEventStream, ProviderError, type StreamModel } from "@pintle/ai";
import { MessageBuilder } from "../../../../ai/src/message-builder.ts";
import type { Gates } from "./gates.ts";

/** Tools by name, with the arguments a call of them has. */
type CallSpec = [name: string, args?: Record<string, unknown> | string];

const BATCHES: CallSpec[][] = [
  [["shared"]],
  [["shared"], ["shared"]],
  [["shared"], ["exclusive"], ["shared"]],
  [
    ["keyed", { key: "f" }],
    ["keyed", { key: "g" }],
    ["keyed", { key: "f" }],
  ],
  [["exclusive"], ["keyed", { key: "f" }], ["keyed", { key: "f" }], ["exclusive"]],
  [["polite"], ["deaf"], ["waiting"]],
  [["stubborn"], ["shared"]],
  [["unknown"], ["shared", "[1"], ["keyed", { key: 5 }], ["final"]],
  [["final"], ["final"]],
  [["waiting"], ["exclusive"], ["polite"]],
];

export interface GatedModelOptions {
  gates: Gates;
  isDeaf: boolean;
  nextId(): string;
}

/** A model that emits one event each time its gate opens. */
export function gatedModel({ gates, isDeaf, nextId }: GatedModelOptions): StreamModel {
  return (model, context, options = {}) => {
    const events = new AssistantEventStream();
    const out = new MessageBuilder(events, model, { now: options.now ?? Date.now, context });
    const leave = gates.add({
      kind: "model",
      complete: (how) => {
        say(how);
        if (events.isClosed) leave();
        return events.isClosed;
      },
    });
    const onAbort = () => {
      leave();
      if (!isDeaf) out.abort();
    };
    options.signal?.addEventListener("abort", onAbort, { once: true });
    events.onCancel(leave);

    function say(how: number): void {
      const calls = BATCHES[how % BATCHES.length] as CallSpec[];
      if (how < 12) text("some words");
      else if (how < 18) think();
      else if (how < 22) out.append(out.startText(), "left open");
      else if (how < 26) openCall();
      else if (how < 60) batch(calls, "toolUse");
      else if (how < 63) batch(calls, "length");
      else if (how < 66) batch(calls, "error");
      else if (how < 68) out.finish("length");
      else if (how < 73) out.fail(new ProviderError("overloaded", "Overloaded"));
      else if (how < 75) events.end();
      else if (how < 77)
        out.finish("stop"); // an empty answer, if nothing precedes it
      else finishWithText();
    }

    function finishWithText(): void {
      text("the end");
      out.finish("stop");
    }

    function text(words: string): void {
      const index = out.startText();
      for (const word of words.split(" ")) out.append(index, word);
      out.end(index);
    }

    function think(): void {
      const index = out.startThinking();
      out.append(index, "hm");
      out.sign(index, "signature");
      out.end(index);
    }

    function openCall(): void {
      out.append(out.startToolCall({ id: nextId(), name: "shared" }), '{"a":');
    }

    function batch(calls: CallSpec[], ending: "toolUse" | "length" | "error"): void {
      for (const [name, args = {}] of calls) {
        const index = out.startToolCall({ id: nextId(), name });
        out.append(index, typeof args === "string" ? args : JSON.stringify(args));
        out.end(index);
      }
      if (ending === "error") out.fail(new ProviderError("server", "Internal error"));
      else out.finish(ending);
    }
    return events;
  };
}
