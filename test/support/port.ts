import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A port of this machine. It listens before the application exists, since the application must know its own URL. */
export async function openPort() {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    serve: (app: RequestListener) => void server.on("request", app),
    close,
    /** Refuses connections until the function has ended. */
    away: async (meanwhile: () => Promise<void>) => {
      await close();
      await meanwhile();
      await once(server.listen(port, "127.0.0.1"), "listening");
    },
  };
}
