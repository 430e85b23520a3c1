/** One instruction of the classic packet filter machine: code, jump if true, jump if false, constant. */
export type Instruction = readonly [code: number, jt: number, jf: number, k: number];

const LOAD_WORD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

export const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset];
export const and = (mask: number): Instruction => [AND, 0, 0, mask];
/** A jump is the number of instructions to skip. */
export const ifEqual = (value: number, jt: number, jf: number): Instruction => [JUMP_IF_EQUAL, jt, jf, value];
export const ifAtLeast = (value: number, jt: number, jf: number): Instruction => [JUMP_IF_AT_LEAST, jt, jf, value];
export const ifAnyBit = (mask: number, jt: number, jf: number): Instruction => [JUMP_IF_ANY_BIT, jt, jf, mask];
export const give = (value: number): Instruction => [RETURN, 0, 0, value];

export function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, jt, jf, k]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jt);
    view.setUint8(index * 8 + 3, jf);
    view.setUint32(index * 8 + 4, k, true);
  }
  return bytes;
}
