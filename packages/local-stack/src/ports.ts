import { randomInt } from "node:crypto";
import getPort from "get-port";

/** A start that failed because another program listens on the port. */
export class PortInUse extends Error {}

export interface PortOptions {
  /** A port of 127.0.0.1; a free one by default. */
  port?: number | undefined;
  /** Chooses the port if none is named. */
  choosePort?: () => Promise<number>;
}

const MAX_ATTEMPTS = 5;
/**
 * Below the ports that Linux, macOS and Windows use for outgoing connections, any of which could occupy a free port.
 */
const [FIRST, LAST] = [20_000, 32_767];

/** Returns a port of 127.0.0.1 without a listener; this process gets no port twice within 15 seconds. */
export function freePort(): Promise<number> {
  const port = Array.from({ length: 100 }, () => randomInt(FIRST, LAST + 1));
  return getPort({ host: "127.0.0.1", port });
}

/**
 * Starts a server on a free port, and on another one if `start` throws `PortInUse`: until the server listens, any program may
 * take the port. Starts a server once on a port that is named; its error then names the port.
 */
export async function startOnPort<T>(
  { port: named, choosePort = freePort }: PortOptions,
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = named ?? (await choosePort());
    try {
      return await start(port);
    } catch (error) {
      if (!(error instanceof PortInUse)) throw error;
      const remedy = `stop the program that listens on it, or set another port`;
      if (named !== undefined) throw new PortInUse(`Port ${port} is in use: ${remedy}. ${error.message}`);
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
