/** Kitty takes base64 in pieces of this size. */
const PIECE = 4_096;
const MAX_ID = 0xffffffff;

/** Draws a PNG in kitty's protocol, at the cursor, without moving it. */
export function kittySequence(png: string, { columns, rows }: { columns: number; rows: number }): string {
  const id = 1 + Math.floor(Math.random() * (MAX_ID - 1));
  const pieces = Array.from({ length: Math.max(1, Math.ceil(png.length / PIECE)) }, (_, index) =>
    png.slice(index * PIECE, (index + 1) * PIECE),
  );
  const first = `a=T,f=100,q=2,C=1,c=${columns},r=${rows},i=${id}`;
  return pieces
    .map((piece, index) => {
      const more = index < pieces.length - 1 ? 1 : 0;
      return `\u001b_G${index === 0 ? `${first},m=${more}` : `m=${more}`};${piece}\u001b\\`;
    })
    .join("");
}

/** Draws an image file in iTerm2's protocol; the cursor ends in its last row. */
export function iterm2Sequence(base64: string, columns: number): string {
  const size = Buffer.byteLength(base64, "base64");
  return `\u001b]1337;File=inline=1;size=${size};width=${columns};height=auto;preserveAspectRatio=1:${base64}\u0007`;
}
