import { HOST_CAPABILITIES, type Result } from "@pintle/wire";

/** Capabilities of a host, which `set_host_capabilities` changes. */
type DeclaredCapabilities = Result<"set_host_capabilities">;

/** The first clients show dialogs without declaring it. */
const INITIAL: DeclaredCapabilities = {
  ...(Object.fromEntries(HOST_CAPABILITIES.map((name) => [name, false])) as Required<DeclaredCapabilities>),
  ui: true,
};

/** The capabilities that the host declared. A host that declares none gets the behavior of the older protocol. */
export class HostCapabilities {
  readonly #isUiForbidden: boolean;
  #declared = INITIAL;
  #isUiDeclared = false;
  #hasAnsweredApprovals = false;
  #withoutUi = new AbortController();

  /** With `isUiForbidden`, no question is sent, whatever the host declares. */
  constructor({ isUiForbidden = false }: { isUiForbidden?: boolean } = {}) {
    this.#isUiForbidden = isUiForbidden;
    if (isUiForbidden) this.#withoutUi.abort();
  }

  get current(): DeclaredCapabilities {
    return { ...this.#declared, ui: this.hasUi };
  }

  /** Whether `--no-ui` was given. */
  get isUiForbidden(): boolean {
    return this.#isUiForbidden;
  }

  get hasUi(): boolean {
    return this.#declared.ui && !this.#isUiForbidden;
  }

  /** Stays true after the host that declared it has left, so that calls that needed approval still need it. */
  get hasAnsweredApprovals(): boolean {
    return this.#hasAnsweredApprovals;
  }

  /** Whether the model is offered the `ask` tool. A host must declare dialogs for it: the older protocol does not have it. */
  get answersQuestions(): boolean {
    return this.hasUi && this.#isUiDeclared;
  }

  /** Fired while the host shows no dialogs. Open dialogs end when it fires. */
  get withoutUi(): AbortSignal {
    return this.#withoutUi.signal;
  }

  /** Changes the named capabilities and keeps the others. */
  declare(change: Partial<DeclaredCapabilities>): DeclaredCapabilities {
    this.#declared = { ...this.#declared, ...change };
    if (change.ui !== undefined) this.#isUiDeclared = change.ui;
    if (change.approvals) this.#hasAnsweredApprovals = true;
    if (!this.hasUi) this.#withoutUi.abort();
    else if (this.#withoutUi.signal.aborted) this.#withoutUi = new AbortController();
    return this.current;
  }
}
