/** The limit of every wait: only a condition that never holds takes so long, however busy the machine is. */
const TIMEOUT_SECONDS = 300;

/**
 * Polls `check` every 20 ms and returns its first result that is neither false nor empty; throws an Error after
 * `seconds`
 */
export async function until<T>(
  check: () => Promise<T | false | null | undefined>,
  seconds = TIMEOUT_SECONDS,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > end) throw new Error(`not true after ${seconds} s: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
