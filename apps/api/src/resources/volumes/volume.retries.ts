import type { VolumeType } from "@gantry/aws-facts";
import { conflict } from "../../http/errors/errors.js";
import { locked, type RetryRules } from "../retry-rule.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { changedSettings } from "./volume.modification.js";
import * as volumes from "./volume.rules.js";

export const volumeRetries = {
  volume_provision: async ({ caller, db, id }) => {
    const { accountId, providerId, location, encrypted, fromSnapshot } = await caller.find("volume", id);
    const provider = await caller.find("provider", providerId, "share");
    const snapshot = fromSnapshot
      ? await db.snapshot.findFirst({ where: { accountId, provisionedId: fromSnapshot } })
      : undefined;
    if (snapshot === null)
      throw conflict(`snapshot ${fromSnapshot} that volume ${id} is restored from no longer exists`);
    await volumes.requireAllowedVolume(db, provider, { location, snapshotId: snapshot?.id, encrypted });
  },
  attach_volume: async ({ caller, db, id, input, changeInput }) => {
    const { serverId, device } = await volumes.findAttachment(caller, db, id, input.serverId);
    changeInput({ serverId, device });
  },
  detach_volume: async ({ caller, db, id }) => volumes.findDetachableVolume(caller, db, id),
  // A volume that has changed since must not shrink again.
  modify_volume: async ({ caller, db, id, input: { sizeGb: size, volumeType, iops, throughput } }) => {
    const row = await caller.find("volume", id, "update");
    changedSettings(row, {
      size,
      volume_type: volumeType as VolumeType | undefined,
      iops: iops ?? undefined,
      throughput: throughput ?? undefined,
    });
    await assertNoUnfinishedRequest(["modify_volume"], db, "volume", id);
  },
  deprovision_volume: locked("volume", volumes.requireDetached),
} satisfies RetryRules;
