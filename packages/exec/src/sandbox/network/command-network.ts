import { AllowList } from "@pintle/foundation";
import { PROXY_PORT } from "../kernel/inner-listener.ts";
import { InnerListener } from "./inner-listener.ts";
import { NetworkProxy, type NetworkProxyParts } from "./proxy.ts";

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";

/** Programs read one spelling or the other; some, such as curl, read `http_proxy` only in lower case. */
const VARIABLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => bothCases(name, PROXY)),
  ...bothCases("NO_PROXY", DIRECT),
  // Node ignores the others without this one.
  ["NODE_USE_ENV_PROXY", "1"],
]);

/** Connects one command to the hosts of the allow-list. */
export class CommandNetwork {
  readonly variables = VARIABLES;
  readonly #listener = new InnerListener();
  readonly #proxy: NetworkProxy;

  constructor(hosts: readonly string[], parts: Omit<NetworkProxyParts, "allowed"> = {}) {
    this.#proxy = new NetworkProxy({ ...parts, allowed: new AllowList(hosts) });
    void this.#serve(); // catches everything
  }

  /** The descriptor that the command must inherit as LISTENER_OUTLET_FD. */
  get descriptor(): number {
    return this.#listener.commandEnd;
  }

  /** The refused connections, one sentence each. */
  get refusals(): string[] {
    return this.#proxy.refusals;
  }

  close(): void {
    this.#listener.close();
    this.#proxy.close();
  }

  async #serve(): Promise<void> {
    try {
      const descriptor = await this.#listener.receive();
      if (descriptor !== undefined) await this.#proxy.listen(descriptor);
    } catch {
      this.close(); // a failure then means that the command reaches nothing
    }
  }
}

function bothCases(name: string, value: string): [string, string][] {
  return [
    [name, value],
    [name.toLowerCase(), value],
  ];
}
