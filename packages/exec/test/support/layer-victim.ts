// Opens a layer, changes files in it, and waits to be killed.
import { Layer, type LayerStrength } from "../../src/layers/index.ts";
import { ProcessRunner } from "../../src/processes/process-runner.ts";
import { runInLayer } from "./layers.ts";

const [directory, work, strength] = process.argv.slice(2) as [string, string, LayerStrength];
const processRunner = new ProcessRunner({ environment: process.env });
const layer = await Layer.start({ directory, id: "tx_1", roots: [work], strengths: [strength], processRunner });
await runInLayer(processRunner, layer, "echo from the victim > a.txt; rm src/b.txt", work);
process.stdout.write("written\n");
setInterval(() => {}, 1_000);
