import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A delivery as a receiver of webhooks got it. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  port: number;
  received: Received[];
  close(): Promise<void>;
}

/**
 * Starts a receiver of webhooks on this machine.
 *
 * @param answer gets each delivery when it has arrived; the default answers 204
 * @param fixedPort the port; a free one if 0
 */
export async function startReceiver(
  answer: (delivery: Received, response: ServerResponse) => void = (_, response) => response.writeHead(204).end(),
  fixedPort = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const delivery = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(delivery);
      answer(delivery, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(fixedPort, "127.0.0.1", resolve).unref());
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
