import { type Architecture, execCode, TABLE_ADDRESS } from "./exec-code.ts";

/** Bytes in the memory of the inner stage; `pointers` are the offsets that hold the address of other bytes. */
export interface Block {
  bytes: Uint8Array;
  pointers?: readonly { at: number; to: Block }[];
}

/** Where the result of a call is written: into a block, or into an argument of the next call. */
export type ResultPlace = { block: Block; at: number } | { nextArgument: number };

export interface SystemCall {
  number: number;
  /** At most five. A block stands for its address. */
  args: readonly (number | bigint | Block)[];
  result?: ResultPlace;
  /** Written to stderr if the call fails, which ends the command. Without it a failure does not matter. */
  required?: string;
}

const RECORD_BYTES = 64;
const CODE_ADDRESS = 0x400000;
const ELF_HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const CODE_OFFSET = 256;
/** Leaves the same remainder as the address for every page size (4, 16, 64 KiB), as the loader requires. */
const DATA_OFFSET = 0x1000;
const MACHINE: Record<Architecture, number> = { x64: 62, arm64: 183 };
const END_MARK = -1n;

/**
 * A static ELF program that makes these system calls and then becomes the program its arguments name. It uses no library,
 * loader or parser, so it starts in a fraction of a millisecond, and no environment variable changes what it does.
 */
export function execImage(architecture: Architecture, calls: readonly SystemCall[]): Uint8Array {
  const code = execCode(architecture);
  const data = layOut(calls);
  const image = new Uint8Array(DATA_OFFSET + data.length);
  writeHeaders(new DataView(image.buffer), architecture, code.length, data.length);
  image.set(code, CODE_OFFSET);
  image.set(data, DATA_OFFSET);
  return image;
}

function writeHeaders(view: DataView, architecture: Architecture, codeBytes: number, dataBytes: number): void {
  const word = (at: number, value: number) => view.setUint32(at, value, true);
  const half = (at: number, value: number) => view.setUint16(at, value, true);
  const long = (at: number, value: number) => view.setBigUint64(at, BigInt(value), true);
  view.setUint32(0, 0x7f454c46); // \x7fELF
  view.setUint32(4, 0x02010100); // 64 bits, little endian, version 1, System V
  half(16, 2); // an executable
  half(18, MACHINE[architecture]);
  word(20, 1);
  long(24, CODE_ADDRESS + CODE_OFFSET); // entry
  long(32, ELF_HEADER_BYTES); // program headers
  half(52, ELF_HEADER_BYTES);
  half(54, PROGRAM_HEADER_BYTES);
  half(56, 3);
  const LOAD = 1;
  const STACK = 0x6474e551;
  const segments = [
    { type: LOAD, flags: 5, offset: 0, address: CODE_ADDRESS, size: CODE_OFFSET + codeBytes }, // read, execute
    { type: LOAD, flags: 6, offset: DATA_OFFSET, address: TABLE_ADDRESS, size: dataBytes }, // read, write
    { type: STACK, flags: 6, offset: 0, address: 0, size: 0 }, // not executable
  ];
  for (const [index, { type, flags, offset, address, size }] of segments.entries()) {
    const at = ELF_HEADER_BYTES + index * PROGRAM_HEADER_BYTES;
    word(at, type);
    word(at + 4, flags);
    for (const [place, value] of [offset, address, address, size, size, 0x1000].entries()) {
      long(at + 8 + place * 8, value);
    }
  }
}

/** The table, then the blocks that it refers to. */
function layOut(calls: readonly SystemCall[]): Uint8Array {
  const heap = new Heap(TABLE_ADDRESS + (calls.length + 1) * RECORD_BYTES);
  const ignoredResult: Block = { bytes: new Uint8Array(8) };
  const records = calls.map((call, index) => {
    const args = [0, 1, 2, 3, 4].map((place) => toWord(call.args[place] ?? 0, heap));
    const result = resultAddress(call.result ?? { block: ignoredResult, at: 0 }, index, heap);
    return [BigInt(call.number), ...args, result, call.required ? heap.address(message(call.required)) : 0n];
  });
  const cannotRun = heap.address(message("the program cannot be started"));
  records.push([END_MARK, 0n, 0n, 0n, 0n, 0n, 0n, cannotRun]);
  const blocks = heap.toBytes();
  const data = new Uint8Array(records.length * RECORD_BYTES + blocks.length);
  const view = new DataView(data.buffer);
  for (const [index, word] of records.flat().entries()) view.setBigInt64(index * 8, BigInt.asIntN(64, word), true);
  data.set(blocks, records.length * RECORD_BYTES);
  return data;
}

function toWord(arg: number | bigint | Block, heap: Heap): bigint {
  return typeof arg === "object" ? heap.address(arg) : BigInt(arg);
}

function resultAddress(place: ResultPlace, index: number, heap: Heap): bigint {
  if ("block" in place) return heap.address(place.block) + BigInt(place.at);
  return BigInt(TABLE_ADDRESS + (index + 1) * RECORD_BYTES + 8 + place.nextArgument * 8);
}

/** Includes its length as a prefix. */
function message(text: string): Block {
  const words = new TextEncoder().encode(`pintle: sandbox: ${text}\n`);
  const bytes = new Uint8Array(8 + words.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(words.length), true);
  bytes.set(words, 8);
  return { bytes };
}

/** Gives each block an address of its own, once. */
class Heap {
  readonly #start: number;
  readonly #addresses = new Map<Block, number>();
  #size = 0;

  constructor(start: number) {
    this.#start = start;
  }

  address(block: Block): bigint {
    let at = this.#addresses.get(block);
    if (at === undefined) {
      at = this.#size;
      this.#addresses.set(block, at);
      this.#size += Math.ceil(block.bytes.length / 8) * 8;
      for (const { to } of block.pointers ?? []) this.address(to);
    }
    return BigInt(this.#start + at);
  }

  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#size);
    const view = new DataView(bytes.buffer);
    for (const [block, at] of this.#addresses) {
      bytes.set(block.bytes, at);
      for (const pointer of block.pointers ?? []) view.setBigUint64(at + pointer.at, this.address(pointer.to), true);
    }
    return bytes;
  }
}
