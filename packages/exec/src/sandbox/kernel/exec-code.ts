export type Architecture = "x64" | "arm64";

/** The address of the table of system calls; the code below refers to it. */
export const TABLE_ADDRESS = 0x411000;

/** One line of assembly: its bytes in hexadecimal (none for a label), and the source. */
type Line = readonly [bytes: string, text: string];

/**
 * The complete machine code of the inner stage. It makes the system calls of a table (exec-image.ts) and then becomes the
 * program that its arguments name:
 *
 *     for each record: call it; keep the result where the record says; a failure ends everything unless the record ignores it
 *     at the end mark:  execve(argv[1], &argv[1], envp)
 *     on failure:       write the record's message to stderr, exit with 126
 *
 * A record is eight 64-bit words: number, five arguments, address for the result, address of the message (0: ignore a failure).
 * A negative number is the end mark. Nothing here knows what is being called; that is data, and made in TypeScript.
 */
export const EXEC_CODE: Readonly<Record<Architecture, readonly Line[]>> = {
  x64: [
    ["bb 00 10 41 00", "mov ebx, 0x411000"],
    ["48 8b 04 24", "mov rax, [rsp]"],
    ["4c 8d 64 24 10", "lea r12, [rsp+16]"],
    ["4c 8d 6c c4 10", "lea r13, [rsp+rax*8+16]"],
    ["", "next:"],
    ["48 8b 03", "mov rax, [rbx]"],
    ["48 85 c0", "test rax, rax"],
    ["78 2f", "js run"],
    ["48 8b 7b 08", "mov rdi, [rbx+8]"],
    ["48 8b 73 10", "mov rsi, [rbx+16]"],
    ["48 8b 53 18", "mov rdx, [rbx+24]"],
    ["4c 8b 53 20", "mov r10, [rbx+32]"],
    ["4c 8b 43 28", "mov r8, [rbx+40]"],
    ["0f 05", "syscall"],
    ["48 8b 4b 30", "mov rcx, [rbx+48]"],
    ["48 89 01", "mov [rcx], rax"],
    ["48 85 c0", "test rax, rax"],
    ["79 07", "jns done"],
    ["48 83 7b 38 00", "cmp qword ptr [rbx+56], 0"],
    ["75 17", "jne fail"],
    ["", "done:"],
    ["48 83 c3 40", "add rbx, 64"],
    ["eb c9", "jmp next"],
    ["", "run:"],
    ["49 8b 3c 24", "mov rdi, [r12]"],
    ["4c 89 e6", "mov rsi, r12"],
    ["4c 89 ea", "mov rdx, r13"],
    ["b8 3b 00 00 00", "mov eax, 59"],
    ["0f 05", "syscall"],
    ["", "fail:"],
    ["48 8b 73 38", "mov rsi, [rbx+56]"],
    ["48 8b 16", "mov rdx, [rsi]"],
    ["48 83 c6 08", "add rsi, 8"],
    ["bf 02 00 00 00", "mov edi, 2"],
    ["b8 01 00 00 00", "mov eax, 1"],
    ["0f 05", "syscall"],
    ["bf 7e 00 00 00", "mov edi, 126"],
    ["b8 e7 00 00 00", "mov eax, 231"],
    ["0f 05", "syscall"],
  ],
  arm64: [
    ["13 00 82 d2", "mov x19, #0x1000"],
    ["33 08 a0 f2", "movk x19, #0x41, lsl #16"],
    ["e9 03 40 f9", "ldr x9, [sp]"],
    ["f4 43 00 91", "add x20, sp, #16"],
    ["95 0e 09 8b", "add x21, x20, x9, lsl #3"],
    ["", "next:"],
    ["68 02 40 f9", "ldr x8, [x19]"],
    ["88 01 f8 b7", "tbnz x8, #63, run"],
    ["60 86 40 a9", "ldp x0, x1, [x19, #8]"],
    ["62 8e 41 a9", "ldp x2, x3, [x19, #24]"],
    ["64 16 40 f9", "ldr x4, [x19, #40]"],
    ["01 00 00 d4", "svc #0"],
    ["69 1a 40 f9", "ldr x9, [x19, #48]"],
    ["20 01 00 f9", "str x0, [x9]"],
    ["60 00 f8 b6", "tbz x0, #63, done"],
    ["69 1e 40 f9", "ldr x9, [x19, #56]"],
    ["09 01 00 b5", "cbnz x9, fail"],
    ["", "done:"],
    ["73 02 01 91", "add x19, x19, #64"],
    ["f4 ff ff 17", "b next"],
    ["", "run:"],
    ["80 02 40 f9", "ldr x0, [x20]"],
    ["e1 03 14 aa", "mov x1, x20"],
    ["e2 03 15 aa", "mov x2, x21"],
    ["a8 1b 80 d2", "mov x8, #221"],
    ["01 00 00 d4", "svc #0"],
    ["", "fail:"],
    ["61 1e 40 f9", "ldr x1, [x19, #56]"],
    ["22 84 40 f8", "ldr x2, [x1], #8"],
    ["40 00 80 d2", "mov x0, #2"],
    ["08 08 80 d2", "mov x8, #64"],
    ["01 00 00 d4", "svc #0"],
    ["c0 0f 80 d2", "mov x0, #126"],
    ["c8 0b 80 d2", "mov x8, #94"],
    ["01 00 00 d4", "svc #0"],
  ],
};

export function execCode(architecture: Architecture): Uint8Array {
  const digits = EXEC_CODE[architecture].map(([bytes]) => bytes.replaceAll(" ", "")).join("");
  return Uint8Array.fromHex(digits);
}
