import { ptr } from "bun:ffi";
import { closeSync } from "node:fs";
import { openLibc } from "../../processes/child/libc.ts";

const AF_UNIX = 1;
const SOCK_SEQPACKET = 5;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x40000000;

/** Where the parts of a message lie in one buffer: `struct msghdr`, `struct iovec`, a byte of data, a control message. */
const AT = { iovec: 56, data: 72, control: 80 };
const CONTROL_BYTES = 24;
const SENT_DESCRIPTOR = AT.control + 16;

const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 20;

/**
 * A pair of connected sockets. A command inherits one of them, and its inner stage sends the socket that it listens on inside its
 * own network through it (kernel/inner-listener.ts), before the command itself starts.
 */
export class InnerListener {
  readonly #functions = openLibc({
    socketpair: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" },
    recvmsg: { args: ["i32", "ptr", "i32"], returns: "i64" },
  });
  readonly #ends: Int32Array;
  #isClosed = false;

  /** Throws if the system cannot create one. */
  constructor() {
    this.#ends = new Int32Array(2);
    const result = this.#functions.socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ptr(this.#ends));
    if (result !== 0) throw new Error("no pair of sockets can be made");
  }

  /** The end of the pair that the command inherits. */
  get commandEnd(): number {
    return this.#ends[1]!;
  }

  /** Returns the listening socket, or undefined if `close` is called before it arrives. */
  async receive(): Promise<number | undefined> {
    // Polls, because every way to learn that a descriptor has arrived also reads and drops it. Connections wait in the backlog.
    for (let wait = FIRST_WAIT_MS; !this.#isClosed; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      const descriptor = this.#tryToReceive();
      if (descriptor !== undefined) return descriptor;
      await Bun.sleep(wait);
    }
    return undefined;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const end of this.#ends) closeSync(end);
  }

  #tryToReceive(): number | undefined {
    const message = new Uint8Array(AT.control + CONTROL_BYTES);
    const view = new DataView(message.buffer);
    const address = BigInt(ptr(message));
    const long = (at: number, value: bigint) => view.setBigUint64(at, value, true);
    long(16, address + BigInt(AT.iovec));
    long(24, 1n);
    long(32, address + BigInt(AT.control));
    long(40, BigInt(CONTROL_BYTES));
    long(AT.iovec, address + BigInt(AT.data));
    long(AT.iovec + 8, 1n);
    const received = this.#functions.recvmsg(this.#ends[0]!, ptr(message), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const hasDescriptor = view.getBigUint64(40, true) >= 20n; // the length of the control message that was received
    return Number(received) === 1 && hasDescriptor ? view.getInt32(SENT_DESCRIPTOR, true) : undefined;
  }
}
