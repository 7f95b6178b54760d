import type { Server } from "@gantry/client";
import { Id, Tags } from "../controls/facts.js";
import { flavorName } from "../controls/flavor-name.js";
import { nameOf, RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Ago } from "../controls/time.js";
import { ServerActs } from "./server.acts.js";
import { Alerts, Firewalls, Messages, Snapshots, Volumes } from "./server.parts.js";
import { ServerStatus } from "./server-status.js";

export function Page() {
  return (
    <RecordPage<Server>
      type="server"
      path="/servers"
      above={["Servers", "servers"]}
      titleOf={nameOf}
      facts={(server) => [
        ["State", <ServerStatus key="state" server={server} />],
        ["Public host", server.public_hostname && <Id key="public" id={server.public_hostname} />],
        ["Private host", server.private_hostname && <Id key="private" id={server.private_hostname} />],
        ["Environment", <RecordLink key="environment" url={server.environment} />],
        ["Role", server.role.replaceAll("_", " ")],
        ["Flavor", flavorName(server.flavor)],
        ["Waits for the next stop", server.pending && `flavor ${flavorName(server.pending.flavor)}`],
        ["Address", server.address && <RecordLink key="address" url={server.address} />],
        ["Zone", server.location],
        ["Network", <RecordLink key="network" url={server.network} />],
        ["IAM role", server.iam_role && <RecordLink key="role" url={server.iam_role} />],
        ["Instance", <Id key="instance" id={server.provisioned_id} />],
        ["First boot", server.chef_status.at(-1)?.message],
        ["SSH keys", server.keys_current ? "current" : server.keys_asked_at && "older than the last apply"],
        ["Tags", <Tags key="tags" tags={server.tags} />],
        ["Created", <Ago key="created" at={server.created_at} />],
      ]}
      acts={(server) => <ServerActs server={server} />}
      tabs={(server) => [
        ["volumes", "Volumes", <Volumes key="volumes" server={server} />],
        ["firewalls", "Firewalls", <Firewalls key="firewalls" server={server} />],
        ["snapshots", "Snapshots", <Snapshots key="snapshots" server={server} />],
        ["messages", "Messages", <Messages key="messages" server={server} />],
        ["alerts", "Alerts", <Alerts key="alerts" server={server} />],
      ]}
    />
  );
}
