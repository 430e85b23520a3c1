/** The tab title: a name, and the number of open questions. */
class PageTitle {
  #name = "pintle";
  #waiting = 0;

  name(text: string): void {
    const visible = text.replace(/\p{C}/gu, "?"); // a title has no place for what hides or turns text
    this.#name = text === "pintle" ? text : `${visible} · pintle`;
    this.#write();
  }

  waiting(count: number): void {
    this.#waiting = count;
    this.#write();
  }

  #write(): void {
    document.title = this.#waiting > 0 ? `(${this.#waiting}) ${this.#name}` : this.#name;
  }
}

/** The document has one title, so it has one owner. */
export const pageTitle = new PageTitle();
