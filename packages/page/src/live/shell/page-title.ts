const PROGRAM = "pintle";

/** The tab title: the session, its directory, and the number of open questions. */
class PageTitle {
  #name: string | undefined;
  #place = "";
  #waiting = 0;

  name(text: string | undefined): void {
    this.#name = text;
    this.#write();
  }

  /** Directory and branch. */
  place(text: string): void {
    this.#place = text;
    this.#write();
  }

  waiting(count: number): void {
    this.#waiting = count;
    this.#write();
  }

  #write(): void {
    const parts = [this.#name, this.#place, PROGRAM].filter((part) => part !== undefined && part !== "");
    const visible = parts.join(" · ").replace(/\p{C}/gu, "?"); // removes characters that hide or reverse text
    document.title = this.#waiting > 0 ? `(${this.#waiting}) ${visible}` : visible;
  }
}

/** The document has one title, so it has one owner. */
export const pageTitle = new PageTitle();
