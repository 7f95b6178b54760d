import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy in front of one server, with connections that can be broken and replies that can be dropped. */
export interface FlakyTcpProxy {
  port: number;
  /** Drops every reply from the moment on at which a client has sent something that contains `text`. */
  dropRepliesTo(text: string): void;
  /** Closes all connections and accepts no new ones. */
  disconnect(): void;
  /** Accepts connections again and drops nothing. */
  restore(): Promise<void>;
  close(): void;
}

export async function startFlakyTcpProxy(target: URL): Promise<FlakyTcpProxy> {
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server;
  let trigger: string | undefined;
  let dropsReplies = false;

  const restore = async () => {
    trigger = undefined;
    dropsReplies = false;
    server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      client.on("data", (sent: Buffer) => {
        dropsReplies ||= trigger !== undefined && sent.includes(trigger);
        upstream.write(sent);
      });
      upstream.on("data", (reply: Buffer) => dropsReplies || client.write(reply));
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
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
    trigger = text;
  };
  return { port, dropRepliesTo, disconnect, restore, close: disconnect };
}

/** The same address, reached through the proxy. */
export function throughProxy({ port }: FlakyTcpProxy, address: string): string {
  const url = new URL(address);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.toString();
}
