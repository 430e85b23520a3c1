import type { Architecture } from "./exec-code.ts";
import type { Block, SystemCall } from "./exec-image.ts";
import { requireNumber } from "./system-calls.ts";

/**
 * The port at which a command inside finds the proxy. The port is always free, because the command's network is its
 * own.
 */
export const PROXY_PORT = 48_128;
/**
 * The inherited socket through which the listener is passed out; descriptor 3 of a child belongs to the process runner.
 */
export const LISTENER_OUTLET_FD = 4;

/** High enough not to collide with the few descriptors that a starting program has. */
const LISTENER_FD = 201;
const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const O_CLOEXEC = 0o2000000;
const BACKLOG = 128;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;

/**
 * Returns system calls that listen on the loopback interface of the command's own network and pass the listener to pintle. A
 * socket belongs to the network in which it was created, so pintle can accept connections from inside without running anything
 * there.
 */
export function innerListenerCalls(architecture: Architecture): SystemCall[] {
  const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
  return [
    {
      number: number("socket"),
      args: [AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0],
      result: { nextArgument: 0 },
      required: "socket failed",
    },
    { number: number("dup3"), args: [0, LISTENER_FD, O_CLOEXEC], required: "dup3 failed" },
    { number: number("bind"), args: [LISTENER_FD, loopbackAddress(), 16], required: "bind failed" },
    { number: number("listen"), args: [LISTENER_FD, BACKLOG], required: "listen failed" },
    { number: number("sendmsg"), args: [LISTENER_OUTLET_FD, messageWith(LISTENER_FD), 0], required: "sendmsg failed" },
    // The command could pass other descriptors to pintle through this socket.
    { number: number("close"), args: [LISTENER_OUTLET_FD], required: "close failed" },
  ];
}

/** `struct sockaddr_in` */
function loopbackAddress(): Block {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, AF_INET, true);
  view.setUint16(2, PROXY_PORT);
  bytes.set([127, 0, 0, 1], 4);
  return { bytes };
}

/** `struct msghdr` with one byte of data and a descriptor. */
function messageWith(descriptor: number): Block {
  const control = new Uint8Array(24);
  const controlView = new DataView(control.buffer);
  controlView.setBigUint64(0, 20n, true);
  controlView.setInt32(8, SOL_SOCKET, true);
  controlView.setInt32(12, SCM_RIGHTS, true);
  controlView.setInt32(16, descriptor, true);
  const piece = new Uint8Array(16);
  new DataView(piece.buffer).setBigUint64(8, 1n, true);
  const iovec: Block = { bytes: piece, pointers: [{ at: 0, to: { bytes: new Uint8Array(8) } }] };
  const message = new Uint8Array(56);
  const view = new DataView(message.buffer);
  view.setBigUint64(24, 1n, true);
  view.setBigUint64(40, BigInt(control.length), true);
  return {
    bytes: message,
    pointers: [
      { at: 16, to: iovec },
      { at: 32, to: { bytes: control } },
    ],
  };
}
