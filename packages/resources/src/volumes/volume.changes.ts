import type { Row } from "@gantry/db";
import type { ChangesOf } from "../declarations/changes.js";

const AVAILABLE = "The volume stays available";

/** What AWS changes of a volume, attached or not: ModifyVolume in the EC2 API reference, as botocore 1.44.5 has it. */
export const volumeChanges = {
  size: {
    column: "sizeGb",
    effect: `${AVAILABLE}; its server then lets the file system fill it, within two minutes, if Gantry mounted it.`,
    undo: "AWS never shrinks a volume.",
  },
  volume_type: {
    column: "volumeType",
    effect: `${AVAILABLE}; AWS moves it to the new type in the background, which takes minutes to hours.`,
    undo: "Change the type back.",
  },
  iops: {
    column: "iops",
    effect: `${AVAILABLE}; its speed changes once AWS has moved it.`,
    undo: "Change the IOPS back.",
  },
  throughput: {
    column: "throughput",
    effect: `${AVAILABLE}; its speed changes once AWS has moved it.`,
    undo: "Change the throughput back.",
  },
} as const satisfies ChangesOf<keyof Row<"volume">>;
