import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A wire to a server that can be cut and mended, and that may lose answers. */
export interface FlakyTcpProxy {
  port: number;
  /** Lets what is sent on through, and answers too, until something that holds `text` was sent: from then on no answer. */
  dropRepliesTo(text: string): void;
  disconnect(): void;
  /** Lets everything through again, over new connections. */
  restore(): Promise<void>;
  close(): void;
}

export async function startFlakyTcpProxy(target: URL): Promise<FlakyTcpProxy> {
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server;
  let fatal: string | undefined;
  let isMute = false;

  const restore = async () => {
    fatal = undefined;
    isMute = false;
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      near.on("data", (sent: Buffer) => {
        isMute ||= fatal !== undefined && sent.includes(fatal);
        far.write(sent);
      });
      far.on("data", (answer: Buffer) => isMute || near.write(answer));
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
      }
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    port = (server.address() as AddressInfo).port;
  };

  const disconnect = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };

  await restore();
  const dropRepliesTo = (text: string) => {
    fatal = text;
  };
  return { port, dropRepliesTo, disconnect, restore, close: disconnect };
}

/** The same address, but over the wire. */
export function throughProxy({ port }: FlakyTcpProxy, address: string): string {
  const url = new URL(address);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.toString();
}
