import type { Server } from "@gantry/db";
import type { PlannedResource } from "../../http/plans/planned-resource.js";
import type { Placement } from "./server.placement.js";
import type { ServerRow, VolumeRow } from "./server.rows.js";
import { ROOT_VOLUME } from "./server.volumes.js";

/** The servers of these rows as resources of a plan, with their root disks, volumes and public addresses. */
export function plannedServers(
  servers: ServerRow[],
  volumes: VolumeRow[],
  { imageParameter, placements }: { imageParameter: string; placements: Placement[] },
): PlannedResource[] {
  return servers.map((server, i) => {
    const own = volumes.filter(({ serverId }) => serverId === server.id);
    const restored = own.some(({ mount }) => mount === "/");
    const { image_parameter, ...instance } = plannedInstance(server, imageParameter);
    return {
      ...instance,
      ...(!restored && { image_parameter }),
      public_address: !placements[i]?.isPrivate,
      role: server.role,
      zone: server.location,
      volumes: [...(restored ? [] : [ROOT_VOLUME]), ...own.map(plannedVolume)],
    };
  });
}

/** An instance with only its root disk, such as those that a scaling group launches. */
export function plannedInstance(
  { region, flavor, dedicated }: { region: string; flavor: string; dedicated: boolean },
  imageParameter: string,
): PlannedResource {
  const hardware = { flavor, dedicated, image_parameter: imageParameter, public_address: true };
  return { kind: "server", count: 1, region, ...hardware, volumes: [ROOT_VOLUME] };
}

/** A server that exists, with its volumes. */
export function standingServer(server: Server, volumes: VolumeAttributes[]): PlannedResource {
  const { region, location: zone, role, flavor, dedicated, addressId, publicHostname } = server;
  return {
    ...{ kind: "server", count: 1, region, zone, role, flavor, dedicated },
    public_address: addressId !== null || publicHostname !== null,
    volumes: volumes.map(plannedVolume),
  };
}

interface VolumeAttributes {
  name: string | null;
  volumeType: string;
  sizeGb: number;
  iops: number | null;
}

/** A volume as part of a plan. */
export function plannedVolume({ name, volumeType: type, sizeGb, iops }: VolumeAttributes) {
  return { name: name ?? "data", type, size_gb: sizeGb, ...(iops !== null && { iops }) };
}
