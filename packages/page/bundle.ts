// Runs while the program is built, and never in it: what it returns is put in the place of the call.

export interface PageBundle {
  script: string;
  style: string;
}

export function bundlePage(): PageBundle {
  return { script: bundle("main.ts"), style: bundle("page.css") };
}

function bundle(file: string): string {
  const args = ["build", `${import.meta.dir}/src/${file}`, "--minify", "--target=browser", "--format=iife"];
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, ...args]);
  if (!success) throw new Error(`The page cannot be built: ${stderr.toString()}`);
  return stdout.toString().trim();
}
