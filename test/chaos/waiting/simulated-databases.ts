import { once } from "node:events";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** One call that asked how databases are. */
export interface DescribeCall {
  at: number;
  ids: number;
}

/**
 * Stands in front of the emulator, which cannot hold ten thousand databases: whoever asks for one of the crowd by its
 * identifier is told that it is being made. All else passes as it is.
 */
export interface SimulatedDatabases {
  url: string;
  /** Takes identifiers into the crowd. */
  add(identifiers: string[]): void;
  calls: DescribeCall[];
  close(): void;
}

export async function simulateDatabases(upstream: string): Promise<SimulatedDatabases> {
  const members = new Set<string>();
  const calls: DescribeCall[] = [];
  const server = createServer(async (input, reply) => {
    const body = await buffer(input);
    const sent = send(upstream + input.url, { method: input.method, headers: input.headers });
    sent.on("error", () => reply.destroy());
    sent.on("response", async (answer) => {
      const params = new URLSearchParams(body.toString());
      const whole = await buffer(answer);
      if (params.get("Action") !== "DescribeDBInstances")
        return reply.writeHead(answer.statusCode ?? 500, answer.headers).end(whole);
      const asked = [...params].filter(([name]) => /^Filters\.Filter\.1\.Values\./.test(name)).map(([, id]) => id);
      calls.push({ at: Date.now(), ids: asked.length });
      const told = addDatabases(
        whole.toString(),
        asked.filter((id) => members.has(id)),
      );
      reply
        .writeHead(answer.statusCode ?? 500, { ...answer.headers, "content-length": Buffer.byteLength(told) })
        .end(told);
    });
    sent.end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (identifiers) => {
      for (const each of identifiers) members.add(each);
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
