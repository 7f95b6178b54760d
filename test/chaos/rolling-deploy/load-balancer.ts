import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { pipeline } from "node:stream";

/** A TCP load balancer for several API processes. A connection goes to the next process that accepts it. */
export class LoadBalancer {
  private readonly ports: number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {
    server.on("connection", (client) => void this.forward(client));
  }

  static async open(): Promise<LoadBalancer> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LoadBalancer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    this.ports.push(Number(new URL(url).port));
  }

  remove(url: string): void {
    this.ports.splice(this.ports.indexOf(Number(new URL(url).port)), 1);
  }

  close(): void {
    this.server.close();
  }

  private async forward(client: Socket): Promise<void> {
    client.on("error", () => {});
    const first = this.next++;
    const ports = this.ports.map((_, i) => this.ports[(first + i) % this.ports.length] as number);
    for (const port of ports) {
      const upstream = connect(port, "127.0.0.1");
      const isConnected = await once(upstream, "connect").then(
        () => true,
        () => false,
      );
      if (!isConnected) continue;
      pipeline(client, upstream, client, () => {});
      return;
    }
    client.destroy();
  }
}
