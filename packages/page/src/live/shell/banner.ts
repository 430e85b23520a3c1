import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";

/** Shows that the connection or the session is unavailable. */
export const banner: LivePart = ({ layout, connection, session, open }) => {
  let ended: string | undefined;
  const show = () => {
    const id = session.value?.id;
    const text = connection.value === "away" ? "No connection. Trying again …" : ended;
    const again = h(
      "button",
      { type: "button", class: "link-button", onclick: () => open(id === undefined ? {} : { session: id }) },
      "Open it again",
    );
    replaceChildren(
      layout.banner,
      text !== undefined && h("p", { class: "banner" }, text, " ", connection.value !== "away" && again),
    );
  };
  connection.watch(show);
  session.watch((opened) => {
    ended = undefined;
    opened?.ended.onChange((reason) => {
      ended = reason;
      show();
    }, opened.signal);
    show();
  });
};
