import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";

/**
 * Gives the function that closes a server without cutting anybody off: what is being answered is answered to its end, and
 * each connection is told to close, so that no kept one holds the process or takes an input that nobody reads.
 */
export function drainable(server: Server): (closeApp: () => Promise<void>) => Promise<void> {
  const replies = new Set<ServerResponse>();
  let isClosing = false;
  const sayClose = (reply: ServerResponse) => {
    if (!reply.headersSent) reply.setHeader("Connection", "close");
  };
  server.prependListener("request", (_input, reply: ServerResponse) => {
    if (isClosing) sayClose(reply);
    replies.add(reply);
    reply.once("close", () => replies.delete(reply));
  });
  return async (letGo) => {
    isClosing = true;
    for (const reply of replies) sayClose(reply);
    const closed = once(server, "close");
    server.close();
    await letGo();
    await closed;
  };
}
