import { isDeepStrictEqual } from "node:util";
import { tableOf } from "@gantry/db";
import { type ComparedType, comparedResources, modelOf } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import type { Aws } from "../aws/clients.js";
import * as compared from "./compared-records.js";
import type { ScanStep } from "./scan-step.js";

/** The description in AWS of the objects that records of one type represent. */
export interface Description<ColumnName extends string = string> {
  /** Columns that `describe` reads in addition to the compared ones. */
  reads?: readonly string[];
  /**
   * The values of the compared columns by AWS, or undefined if the object is gone. Calls for several objects at once
   * are one call to AWS.
   */
  describe(aws: Aws, cloudId: string, record: compared.Values): Promise<Record<ColumnName, string | null> | undefined>;
}

/** The step that compares the records of a type with AWS. */
export function recordStep(type: ComparedType, { reads = [], describe }: Description): ScanStep {
  return {
    name: tableOf(modelOf(type)),
    async page(context, after) {
      const rows = await compared.fetchRecords(context, type, reads, after);
      if (rows.length === 0) return null;
      const described = await context.call((aws) =>
        Promise.all(rows.map((row) => describe(aws, row.cloudId, row.values))),
      );
      const differing = rows.flatMap((row, i) => difference(type, row, described[i]) ?? []);
      if (differing.length > 0) await compared.updateRecords(context, type, differing);
      return rows.length < compared.PAGE_SIZE ? null : (rows.at(-1)?.id ?? null);
    },
    end: (context) => compared.deleteResolvedFindings(context, type),
  };
}

function difference(
  type: ComparedType,
  row: compared.RecordRow,
  described: compared.Values | undefined,
): compared.Difference | undefined {
  if (!described && row.isGone) return undefined;
  const { columns, followed, goneState } = comparedResources[type].drift;
  const before = Object.fromEntries(columns.map((name) => [name, row.values[name] ?? null]));
  const after = { ...before, ...(described ?? (goneState && { state: goneState })) };
  if (described && !row.isGone && isDeepStrictEqual(before, after)) return undefined;
  const differing = columns.filter((name) => before[name] !== after[name]);
  return {
    id: row.id,
    updated_at: row.updatedAt,
    is_gone: !described,
    is_drift: !described || row.isGone || differing.some((name) => !followed?.includes(name)),
    finding_id: uuidv7(),
    cloud_id: row.cloudId,
    before,
    after,
  };
}
