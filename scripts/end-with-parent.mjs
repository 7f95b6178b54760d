// Loaded before each task, and by Node also before each process that a task forks: once the parent is gone, however it ended, the
// process ends as on SIGTERM.
const parent = process.ppid;
const timer = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(timer);
  process.kill(process.pid, "SIGTERM");
}, 1000).unref();
