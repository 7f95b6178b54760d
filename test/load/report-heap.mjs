// Loaded into a process under load: on SIGUSR2 it reports to its parent how much memory it needs once all garbage is
// gone.
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ neededBytes: heapUsed + external });
});
