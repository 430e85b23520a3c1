/** A question that appears this soon after a key press or a click does not take the keyboard focus. */
const QUIET_MS = 1_000;
/**
 * A click this soon after a question has appeared was meant for what was there before, such as the previous question.
 */
const LOCK_MS = 500;

export interface QuestionCard {
  /** Everything that can be clicked. */
  controls: HTMLFieldSetElement;
  /** Gets the focus when the user moves to the question: the answer that changes nothing, or the field to fill in. */
  first: HTMLElement | undefined;
}

export interface QuestionFocus {
  /** Receives the question that has replaced the previous one, or undefined when the last one is gone. */
  shown(card: QuestionCard | undefined): void;
}

interface FocusParts {
  /** Where questions appear. */
  place: HTMLElement;
  /** The message field, once there is one. */
  field(): HTMLTextAreaElement | null;
  /** Monotonic, in milliseconds. */
  now?(): number;
}

/**
 * Decides whether a question has the keyboard focus; nothing else does. A question takes the focus by itself only while
 * nothing is typed, and nothing in it can be clicked before a person could have seen it. Otherwise Tab in the message field
 * leads to it.
 */
export function createQuestionFocus({ place, field, now = () => performance.now() }: FocusParts): QuestionFocus {
  let usedAt = Number.NEGATIVE_INFINITY;
  let card: QuestionCard | undefined;
  let lock: ReturnType<typeof setTimeout> | undefined;

  const isFree = () => {
    const active = document.activeElement;
    const isElsewhere = active !== null && active !== document.body && active !== field();
    return !isElsewhere && (field()?.value ?? "") === "" && now() - usedAt >= QUIET_MS;
  };
  const call = () => card?.first?.focus();
  const unlockLater = (mayTake: boolean) => {
    clearTimeout(lock);
    lock = setTimeout(() => {
      if (!card) return;
      card.controls.disabled = false;
      if (mayTake && isFree()) call();
    }, LOCK_MS);
  };

  const used = () => {
    usedAt = now();
  };
  for (const type of ["keydown", "pointerdown", "paste", "input"])
    document.addEventListener(type, used, { capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || event.shiftKey || event.defaultPrevented || event.target !== field()) return;
    if (!card || card.controls.disabled) return;
    event.preventDefault();
    call();
  });
  // A user who is still clicking where the previous question was has not seen this one.
  place.addEventListener("pointerdown", () => {
    if (card?.controls.disabled) unlockLater(false);
  });
  place.addEventListener("keydown", (event) => {
    // A key that is held down was meant for something else.
    if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    else if (isForMessage(event)) field()?.focus();
  });

  return {
    shown(next) {
      card = next;
      clearTimeout(lock);
      if (!next) return;
      next.controls.disabled = true;
      unlockLater(isFree());
    },
  };
}

/** Returns true for text that is typed or pasted outside the fields of a question. */
function isForMessage(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.matches("input:not([type=checkbox]), textarea, select")) return false;
  if (event.ctrlKey || event.metaKey) return event.key === "v";
  return event.key.length === 1 && event.key !== " " && !event.altKey;
}
