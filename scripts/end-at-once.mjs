// Loaded before each worker of Jest. Node frees a worker's memory of a gigabyte before the process ends, which takes longer than
// the half second that Jest waits for it; `exit` leaves that to the operating system. On a busy machine that can take longer
// too, and Jest then says that a worker failed to exit gracefully, although nothing was left open in it.
if (process.env.JEST_WORKER_ID) process.once("beforeExit", () => process.exit());
