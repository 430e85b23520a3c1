import { HOST_CAPABILITIES, type Result } from "@pintle/wire";

/** What a host can do; `set_host_capabilities` changes it. */
type DeclaredCapabilities = Result<"set_host_capabilities">;

/** The first clients show dialogs without declaring it. */
const INITIAL: DeclaredCapabilities = {
  ...(Object.fromEntries(HOST_CAPABILITIES.map((name) => [name, false])) as Required<DeclaredCapabilities>),
  ui: true,
};

/** What the host said it can do. One that says nothing gets the behaviour of the older protocol. */
export class HostCapabilities {
  readonly #isUiForbidden: boolean;
  #declared = INITIAL;
  #isUiDeclared = false;
  #hasAnsweredApprovals = false;
  #withoutUi = new AbortController();

  /** `isUiForbidden`: no question is to be sent, whatever the host says. */
  constructor({ isUiForbidden = false }: { isUiForbidden?: boolean } = {}) {
    this.#isUiForbidden = isUiForbidden;
    if (isUiForbidden) this.#withoutUi.abort();
  }

  get current(): DeclaredCapabilities {
    return { ...this.#declared, ui: this.hasUi };
  }

  /** `--no-ui` was given. */
  get isUiForbidden(): boolean {
    return this.#isUiForbidden;
  }

  get hasUi(): boolean {
    return this.#declared.ui && !this.#isUiForbidden;
  }

  /** Also after the one who did has gone: what was asked about before is not free because of that. */
  get hasAnsweredApprovals(): boolean {
    return this.#hasAnsweredApprovals;
  }

  /** Whether the model is offered the `ask` tool. A host must declare dialogs for it: the older protocol does not have it. */
  get answersQuestions(): boolean {
    return this.hasUi && this.#isUiDeclared;
  }

  /** Has fired when the host shows no dialogs; those that are open when it says so end with it. */
  get withoutUi(): AbortSignal {
    return this.#withoutUi.signal;
  }

  /** What is not named stays as it is. */
  declare(change: Partial<DeclaredCapabilities>): DeclaredCapabilities {
    this.#declared = { ...this.#declared, ...change };
    if (change.ui !== undefined) this.#isUiDeclared = change.ui;
    if (change.approvals) this.#hasAnsweredApprovals = true;
    if (!this.hasUi) this.#withoutUi.abort();
    else if (this.#withoutUi.signal.aborted) this.#withoutUi = new AbortController();
    return this.current;
  }
}
