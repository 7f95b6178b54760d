import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One DescribeDBInstances call, with the number of databases that it names. */
export interface DescribeCall {
  at: number;
  ids: number;
}

/**
 * A proxy in front of the emulator, which cannot hold ten thousand databases. It adds the simulated databases to the answers
 * of DescribeDBInstances, with the state `creating`, and passes everything else unchanged.
 */
export interface SimulatedDatabases {
  url: string;
  add(identifiers: string[]): void;
  calls: DescribeCall[];
  close(): void;
}

export async function simulateDatabases(upstream: string): Promise<SimulatedDatabases> {
  const simulated = new Set<string>();
  const calls: DescribeCall[] = [];
  const server = createServer(async (input, reply) => {
    const body = await buffer(input);
    const sent = send(upstream + input.url, { method: input.method, headers: input.headers });
    sent.on("error", () => reply.destroy());
    sent.on("response", async (answer) => {
      const params = new URLSearchParams(body.toString());
      const original = await buffer(answer);
      if (params.get("Action") !== "DescribeDBInstances")
        return reply.writeHead(answer.statusCode ?? 500, answer.headers).end(original);
      const requested = [...params].filter(([name]) => /^Filters\.Filter\.1\.Values\./.test(name)).map(([, id]) => id);
      calls.push({ at: Date.now(), ids: requested.length });
      const extended = addDatabases(
        original.toString(),
        requested.filter((id) => simulated.has(id)),
      );
      reply
        .writeHead(answer.statusCode ?? 500, { ...answer.headers, "content-length": Buffer.byteLength(extended) })
        .end(extended);
    });
    sent.end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.keepAliveTimeoutBuffer = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (identifiers) => {
      for (const each of identifiers) simulated.add(each);
    },
    calls,
    close: () => server.close(),
  };
}

function addDatabases(xml: string, identifiers: string[]): string {
  const shown = identifiers.map(
    (id) =>
      `<DBInstance><DBInstanceIdentifier>${id}</DBInstanceIdentifier><DBInstanceStatus>creating</DBInstanceStatus></DBInstance>`,
  );
  return xml.replace(/<DBInstances\s*\/>|<DBInstances>/, (tag) =>
    tag.endsWith("/>") ? `<DBInstances>${shown.join("")}</DBInstances>` : tag + shown.join(""),
  );
}
