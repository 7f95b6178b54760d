import { isDeepStrictEqual } from "node:util";
import { tableOf } from "@gantry/db";
import { type ComparedType, comparedResources, modelOf } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import type { Aws } from "../aws/clients.js";
import * as compared from "./compared-records.js";
import { type ScanContext, type ScanStep, YieldToUsers } from "./scan-step.js";

/** The values of the compared columns by AWS, or undefined if the object is gone. */
type Described<ColumnName extends string> = Record<ColumnName, string | null> | undefined;

/** Makes the calls that concern only one object. */
type Further<ColumnName extends string> = (call: ScanContext["call"]) => Promise<Described<ColumnName>>;

/** The description in AWS of the objects that records of one type represent. */
export type Description<ColumnName extends string = string> = {
  /** Columns that the description reads in addition to the compared ones. */
  reads?: readonly string[];
} & (
  | {
      /** Describes an object in one call for all objects of a page. Returns a function if it needs more calls. */
      describe(
        aws: Aws,
        cloudId: string,
        record: compared.Values,
      ): Promise<Described<ColumnName> | Further<ColumnName>>;
    }
  | {
      /** Describes an object of a kind of which AWS shows only one at a time. */
      describeAlone(cloudId: string, record: compared.Values): Further<ColumnName>;
    }
);

/** The step that compares the records of a type with AWS. */
export function recordStep(type: ComparedType, description: Description): ScanStep {
  return {
    name: tableOf(modelOf(type)),
    async page(context, after) {
      const rows = await compared.fetchRecords(context, type, description.reads ?? [], after);
      if (rows.length === 0) return null;
      const described = await describeRows(context, rows, description);
      const differing = described.flatMap(([row, values]) => difference(type, row, values) ?? []);
      if (differing.length > 0) await compared.updateRecords(context, type, differing);
      const isLast = rows.length < compared.PAGE_SIZE && described.length === rows.length;
      return isLast ? null : (described.at(-1)?.[0].id ?? null);
    },
    end: (context) => compared.deleteResolvedFindings(context, type),
  };
}

/**
 * Describes the objects of a page. If the scan may make no more calls, returns those that it has described by then.
 *
 * @throws YieldToUsers if there are none, and what the calls throw
 */
async function describeRows(
  { call }: ScanContext,
  rows: compared.RecordRow[],
  description: Description,
): Promise<[row: compared.RecordRow, values: compared.Values | undefined][]> {
  const shared =
    "describe" in description
      ? await call((aws) => Promise.all(rows.map((row) => description.describe(aws, row.cloudId, row.values))))
      : rows.map((row) => description.describeAlone(row.cloudId, row.values));
  const described: [compared.RecordRow, compared.Values | undefined][] = [];
  for (const [i, row] of rows.entries()) {
    const values = shared[i];
    try {
      described.push([row, typeof values === "function" ? await values(call) : values]);
    } catch (error) {
      if (!(error instanceof YieldToUsers) || described.length === 0) throw error;
      break;
    }
  }
  return described;
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
