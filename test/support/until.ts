/** Only a wait that hangs takes so long, however busy the machine is. */
const TIMEOUT_SECONDS = 300;

/** Resolves with the first answer of `look` that is neither false nor empty; fails after `seconds`. */
export async function until<T>(
  look: () => Promise<T | false | null | undefined>,
  seconds = TIMEOUT_SECONDS,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`still not so after ${seconds} s: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
