import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";

/**
 * Returns the function that closes a server gracefully: replies under way are sent to their end, and every connection
 * closes after its reply, so that no idle connection keeps the process alive or accepts an input that is never read.
 */
export function drainable(server: Server): (closeApp: () => Promise<void>) => Promise<void> {
  const replies = new Set<ServerResponse>();
  let isClosing = false;
  const requestClose = (reply: ServerResponse) => {
    if (!reply.headersSent) reply.setHeader("Connection", "close");
  };
  server.prependListener("request", (_input, reply: ServerResponse) => {
    if (isClosing) requestClose(reply);
    replies.add(reply);
    reply.once("close", () => replies.delete(reply));
  });
  return async (closeApp) => {
    isClosing = true;
    for (const reply of replies) requestClose(reply);
    server.close();
    await Promise.all([closeApp(), once(server, "close")]);
  };
}
