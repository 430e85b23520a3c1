/** One server-sent event: only the fields that matter to an adapter. */
export interface ServerEvent {
  event?: string;
  data: string;
}

export interface EventLines {
  feed(text: string): void;
  /** Ends the body. Returns the event that was cut off, if any. */
  end(): ServerEvent | undefined;
}

/** Splits a body into its events. Drops comments and other fields, which are not part of the answer. */
export function createEventLines(onEvent: (event: ServerEvent) => void): EventLines {
  const breaks = /\r\n|[\n\r]/g;
  let rest = "";
  let name: string | undefined;
  let data: string[] = [];
  let isFirst = true;

  const take = (): ServerEvent | undefined => {
    const event = data.length === 0 ? undefined : { ...(name && { event: name }), data: data.join("\n") };
    name = undefined;
    data = [];
    return event;
  };
  const line = (text: string) => {
    if (text === "") {
      const event = take();
      if (event) onEvent(event);
      return;
    }
    const colon = text.indexOf(":");
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
  };

  return {
    feed(text) {
      if (text === "") return;
      // Data is scanned once, except for a `\r` that may have been half of a line break.
      breaks.lastIndex = Math.max(0, rest.length - 1);
      rest += isFirst ? text.replace(/^\uFEFF/, "") : text;
      isFirst = false;
      let from = 0;
      for (let at = breaks.exec(rest); at; at = breaks.exec(rest)) {
        if (at[0] === "\r" && breaks.lastIndex === rest.length) break;
        line(rest.slice(from, at.index));
        from = breaks.lastIndex;
      }
      rest = rest.slice(from);
    },
    end() {
      if (rest !== "") line(rest.replace(/\r$/, ""));
      rest = "";
      return take();
    },
  };
}

/** Returns the bytes of an event as a server sends them; an event that was cut off lacks its end. */
export function formatEvent({ event, data }: ServerEvent, isCut: boolean): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const lines = data.includes("\n") ? data.split("\n").join("\ndata: ") : data;
  return `${name}data: ${lines}${isCut ? "" : "\n\n"}`;
}
