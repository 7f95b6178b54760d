import type { GantryEvent, Request } from "@gantry/client";
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { idOf } from "../names.js";
import type { Session } from "../session.js";
import { partOf, textOf } from "./answers.js";
import { lineOf } from "./requests.js";

const NEWEST = 50;

/** Adds the resources `gantry://requests/{id}` and `gantry://accounts/{id}/events`. */
export function addResources(server: McpServer, session: Session): void {
  server.registerResource(
    "request",
    new ResourceTemplate("gantry://requests/{id}", { list: undefined }),
    { description: "A Request as it is now", mimeType: "application/json" },
    async ({ href }, { id }) => {
      const { body } = await session.gantry.call("GET", `/requests/${encodeURIComponent(String(id))}`);
      const text = partOf(textOf((body as { request: Request }).request), undefined);
      return { contents: [{ uri: href, mimeType: "application/json", text }] };
    },
  );
  server.registerResource(
    "events",
    new ResourceTemplate("gantry://accounts/{id}/events", { list: undefined }),
    { description: `The newest ${NEWEST} events of an account, oldest first`, mimeType: "text/plain" },
    async ({ href }, { id }) => {
      const events = await newestEvents(session, await idOf(session, "accounts", String(id)));
      return {
        contents: [{ uri: href, mimeType: "text/plain", text: partOf(events.map(lineOf).join("\n"), undefined) }],
      };
    },
  );
}

async function newestEvents({ gantry }: Session, account: string): Promise<GantryEvent[]> {
  const query = { newest: true, limit: NEWEST };
  const { body } = await gantry.call("GET", `/accounts/${account}/events`, { query });
  return (body as { events: GantryEvent[] }).events;
}
