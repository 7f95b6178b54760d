import { type BenchEnvironment, startBenchEnvironment } from "./bench-environment.js";
import { bundle } from "./build.js";

/** Builds Gantry, runs a campaign on it, and ends the process: with 0 if the campaign returns true, else with 1. */
export async function runCampaign(campaign: (bench: BenchEnvironment) => Promise<boolean>): Promise<never> {
  bundle();
  const bench = await startBenchEnvironment();
  try {
    process.exitCode = (await campaign(bench)) ? 0 : 1;
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await bench.stop();
  }
  process.exit();
}
