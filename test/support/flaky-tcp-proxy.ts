import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A wire to a server that can be cut and mended, and that may lose answers. */
export interface Wire {
  port: number;
  /** Lets what is sent on through, and answers too, until something that holds `text` was sent: from then on no answer. */
  loseAnswersTo(text: string): void;
  cut(): void;
  /** Lets everything through again, over new connections. */
  mend(): Promise<void>;
  close(): void;
}

export async function startWire(target: URL): Promise<Wire> {
  const sockets = new Set<Socket>();
  let port = 0;
  let server: Server;
  let fatal: string | undefined;
  let isMute = false;

  const mend = async () => {
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

  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };

  await mend();
  const loseAnswersTo = (text: string) => {
    fatal = text;
  };
  return { port, loseAnswersTo, cut, mend, close: cut };
}

/** The same address, but over the wire. */
export function over({ port }: Wire, address: string): string {
  const url = new URL(address);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.toString();
}
