import type { Server } from "@gantry/client";
import { Status } from "../controls/status.js";

/** The state of a server; "gone" if it disappeared from AWS without a Request. */
export function ServerStatus({ server }: { server: Server }) {
  if (server.deleted_at) return <Status state="removed" />;
  return <Status state={server.disappeared_at ? "gone" : server.state} />;
}
