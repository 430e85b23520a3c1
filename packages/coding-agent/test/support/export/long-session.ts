import { call, createSample, type Sample, text, usage } from "./sample-session.ts";

/** Creates this many entries of the usual kinds on one path, with occasional forks. */
export function createLongSession(entries: number): Sample {
  const sample = createSample();
  let forkAt: string | undefined;
  for (let index = 0; sample.manager.entries().length < entries; index += 1) {
    sample.wait(5000);
    sample.user(`Please do thing number ${index}.`);
    sample.wait(3000);
    sample.answer(
      [
        { type: "thinking", thinking: "consider this ".repeat(12) },
        text(`Doing **${index}**:\n\n- first\n- then\n\n\`\`\`ts\nconst step = ${index};\n\`\`\``),
        call(`c${index}`, index % 3 === 0 ? "bash" : "read", {
          command: `make ${index}`,
          path: `src/file-${index}.ts`,
        }),
      ],
      { usage: usage(400 + (index % 17) * 30, 100, index * 20, 50) },
    );
    sample.wait(100 + (index % 23) * 90);
    sample.result(`c${index}`, index % 3 === 0 ? "bash" : "read", `line of output ${index}, with an é\n`.repeat(40));
    sample.wait(2000);
    sample.answer([text(`Thing ${index} is done. ${"And some words on it. ".repeat(8)}`)]);
    if (index % 100 === 50) forkAt = sample.manager.leafId as string;
    if (index % 100 === 52 && forkAt) sample.manager.moveLeaf(forkAt);
  }
  return sample;
}
