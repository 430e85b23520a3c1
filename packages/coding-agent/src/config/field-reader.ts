import { isRecord } from "@pintle/ai";

/**
 * Reads the fields of one object from a configuration file and records mistakes by path. Never quotes values, because any of
 * them may be a misplaced key.
 */
export class FieldReader {
  readonly path: string;
  readonly #object: Record<string, unknown>;
  readonly #notes: FieldNotes;
  readonly #known = new Set<string>();

  private constructor(object: Record<string, unknown>, path: string, notes: FieldNotes) {
    this.#object = object;
    this.path = path;
    this.#notes = notes;
  }

  static of(value: unknown, path: string, notes: FieldNotes): FieldReader | undefined {
    if (isRecord(value)) return new FieldReader(value, path, notes);
    notes.errors.push(path === "" ? "must contain an object" : `${path} must be an object`);
    return undefined;
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  text(name: string): string | undefined {
    const text = this.#field<string>(name, "a string", (value) => typeof value === "string");
    if (text !== "") return text;
    this.error(name, "must not be empty");
    return undefined;
  }

  requiredText(name: string): string | undefined {
    if (!this.has(name)) this.error(name, "must be a string");
    return this.text(name);
  }

  httpUrl(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isHttpUrl(text)) return text;
    this.error(name, "must be an http or https URL");
    return undefined;
  }

  flag(name: string): boolean | undefined {
    return this.#field(name, "true or false", (value) => typeof value === "boolean");
  }

  /** Reads a number of tokens. */
  count(name: string): number | undefined {
    return this.#field(
      name,
      "a positive integer",
      (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0,
    );
  }

  price(name: string): number | undefined {
    return this.#field(
      name,
      "a number of at least 0",
      (value): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0,
    );
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    return this.#field(name, choices.join(" or "), (value): value is T => choices.some((choice) => choice === value));
  }

  requiredChoice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    if (!this.has(name)) this.error(name, `must be ${choices.join(" or ")}`);
    return this.choice(name, choices);
  }

  choices<T extends string>(name: string, choices: readonly T[]): T[] | undefined {
    const isListOfThem = (value: unknown): value is T[] =>
      Array.isArray(value) && value.length > 0 && value.every((item) => choices.includes(item));
    return this.#field(name, `a list of ${choices.join(" or ")}`, isListOfThem);
  }

  texts(name: string): Record<string, string> | undefined {
    const isRecordOfTexts = (value: unknown): value is Record<string, string> =>
      isRecord(value) && Object.values(value).every((item) => typeof item === "string");
    return this.#field(name, "an object whose values are strings", isRecordOfTexts);
  }

  /** Returns an object unchanged. */
  anyObject(name: string): Record<string, unknown> | undefined {
    return this.#field(name, "an object", isRecord);
  }

  object(name: string): FieldReader | undefined {
    const value = this.anyObject(name);
    return value && FieldReader.of(value, this.#pathOf(name), this.#notes);
  }

  list(name: string): FieldReader[] {
    const items = this.#field<unknown[]>(name, "a list", Array.isArray) ?? [];
    return items.flatMap((item, index) => FieldReader.of(item, `${this.#pathOf(name)}[${index}]`, this.#notes) ?? []);
  }

  /** Returns every field as an object of its own, for records whose names the user chooses. */
  entries(): [name: string, fields: FieldReader][] {
    return Object.entries(this.#object).flatMap(([name, value]) => {
      this.#known.add(name);
      const fields = FieldReader.of(value, this.#pathOf(name), this.#notes);
      return fields ? [[name, fields]] : [];
    });
  }

  error(name: string, complaint: string): void {
    this.#notes.errors.push(`${this.#pathOf(name)} ${complaint}`);
  }

  /** Call this last. Otherwise a misspelled name would look like a setting without effect. */
  warnAboutUnknown(): void {
    for (const name of Object.keys(this.#object)) {
      if (!this.#known.has(name))
        this.#notes.warnings.push(`${this.#pathOf(name)} is not a known field and is ignored`);
    }
  }

  #field<T>(name: string, expected: string, isValid: (value: unknown) => value is T): T | undefined {
    this.#known.add(name);
    const value = this.#object[name];
    if (value === undefined) return undefined;
    if (isValid(value)) return value;
    this.error(name, `must be ${expected}`);
    return undefined;
  }

  #pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }
}

export interface FieldNotes {
  /** Errors make the object that contains them unusable. */
  errors: string[];
  warnings: string[];
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
