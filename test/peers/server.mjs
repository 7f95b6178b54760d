import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Serves the HTTP surface of a peer: POST /networks and GET /networks/:id.
 *
 * @param accept starts a network by its id; resolves when the engine has stored it
 * @param stateOf returns "running", "finished" or "failed"
 */
export async function serve(accept, stateOf) {
  const server = createServer(async (request, response) => {
    const reply = (status, body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    try {
      if (request.method !== "POST") return reply(200, { state: await stateOf(request.url.split("/").at(-1)) });
      const id = randomUUID();
      await accept(id);
      reply(202, { id });
    } catch (error) {
      console.error(error);
      reply(500, { message: error.message });
    }
  });
  // A connection that ends while a request is on its way fails that request.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send({ listening: server.address().port });
}

// The parent closes the channel when it ends.
for (const event of ["SIGTERM", "disconnect"]) process.on(event, () => process.exit(0));
