import type { GantryEvent, Request } from "@gantry/client";
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { idOf } from "../names.js";
import type { Session } from "../session.js";
import { partOf, textOf } from "./answers.js";
import { lineOf } from "./requests.js";

const NEWEST = 50;
/** Requests that have at least as many events. */
const RECENT_REQUESTS = 20;

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

/** Events are read forward only, so reading starts at the first event of a Request that is old enough. */
async function newestEvents({ gantry }: Session, account: string): Promise<GantryEvent[]> {
  const recent = await gantry.call("GET", `/accounts/${account}/requests`, { query: { per_page: RECENT_REQUESTS } });
  const oldest = (recent.body as { requests: Request[] }).requests[RECENT_REQUESTS - 1];
  let after: string | undefined;
  if (oldest) {
    const { body } = await gantry.call("GET", `/requests/${oldest.id}/events`, { query: { limit: 1 } });
    after = (body as { events: GantryEvent[] }).events[0]?.id;
  }
  let newest: GantryEvent[] = [];
  for (;;) {
    const { body } = await gantry.call("GET", `/accounts/${account}/events`, { query: { after, limit: 1000 } });
    const { events, next } = body as { events: GantryEvent[]; next: string };
    newest = [...newest, ...events].slice(-NEWEST);
    if (events.length < 1000) return newest;
    after = next;
  }
}
