import type { Prisma } from "@gantry/db";
import { type Check, check } from "../../aws/checks/check.js";
import { checkDryRuns } from "../../aws/checks/dry-runs.js";
import { CREDENTIALS, checkCredentials, checkExternalId } from "../../aws/checks/identity.js";
import { checkPolicies } from "../../aws/checks/permissions.js";
import { checkQuotas } from "../../aws/checks/quotas.js";
import { checkRegionEnabled, checkServerDefaults, DEFAULT_VPC } from "../../aws/checks/region.js";
import type { Aws } from "../../aws/clients.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";
import { checkReportAddress } from "./report-address.js";

type Context = Omit<AwsStageContext, "input"> & { input: { regions: string[] } };

/** A line of the report as the Request's row keeps it. */
type ReportLine = Check & { stage: string };

/** Reports what will fail in a provider's AWS account, and changes nothing there. Each stage writes its part of the report. */
export const checkProvider = awsWorkflow({
  type: "check_provider",
  stages: {
    identity: async (context) => {
      const provider = await providerOf(context);
      const aws = await homeScopeOf(context);
      const credentials = await aws.call((clients) => checkCredentials(clients, provider));
      const isUsable = credentials.every(({ result, check }) => check !== CREDENTIALS || result !== "fails");
      const externalId = isUsable ? [await aws.call((clients) => checkExternalId(clients, provider))] : [];
      await report(context, "identity", [...credentials, ...externalId]);
    },

    permissions: async (context) => {
      if (!(await canLook(context))) return;
      const provider = await providerOf(context);
      const home = await homeScopeOf(context);
      await report(context, "permissions", await home.call((aws) => checkPolicies(aws, provider)));
    },

    "dry-runs": async (context) => {
      if (await canLook(context)) await report(context, "dry-runs", await inEachRegion(context, checkDryRuns));
    },

    quotas: async (context) => {
      if (await canLook(context)) await report(context, "quotas", await inEachRegion(context, checkQuotas));
    },

    defaults: async (context) => {
      if (!(await canLook(context))) return;
      const { regions } = context.input;
      const home = await homeScopeOf(context);
      const enabled = await Promise.all(regions.map((region) => home.call((aws) => checkRegionEnabled(aws, region))));
      await report(context, "defaults", [...enabled, ...(await inEachRegion(context, checkServerDefaults))]);
    },

    reports: async (context) => {
      await report(context, "reports", [check("reports of servers", null, await checkReportAddress(context.callback))]);
    },
  },
});

const scopeOf = ({ resourceId, cloud }: Context, region: string) => cloud({ providerId: Number(resourceId), region });

const homeScopeOf = async (context: Context) =>
  scopeOf(context, await homeRegionOf(context.db, Number(context.resourceId)));

const providerOf = ({ resourceId, db }: Context) =>
  db.provider.findUniqueOrThrow({
    where: { id: Number(resourceId) },
    select: { roleArn: true, externalId: true, shared: true },
  });

async function inEachRegion(context: Context, look: (aws: Aws) => Promise<Check | Check[]>): Promise<Check[]> {
  const { regions } = context.input;
  return (await Promise.all(regions.map((region) => scopeOf(context, region).call(look)))).flat();
}

async function readReport({ request, db }: Context): Promise<ReportLine[]> {
  const { report } = await db.request.findUniqueOrThrow({ where: { id: request.id }, select: { report: true } });
  return ((report as { checks?: ReportLine[] } | null)?.checks ?? []) as ReportLine[];
}

/** False if AWS did not accept the credentials: every other answer of AWS would only repeat it. */
async function canLook(context: Context): Promise<boolean> {
  return (await readReport(context)).every(({ check, result }) => check !== CREDENTIALS || result !== "fails");
}

/** Replaces the lines of a stage, which may have been run before. */
async function report(context: Context, stage: string, lines: Check[]): Promise<void> {
  const others = (await readReport(context)).filter((line) => line.stage !== stage);
  const { shared } = await providerOf(context);
  const shown = shared ? ofSharedProvider(lines) : lines;
  const checks = [...others, ...shown.map((line) => ({ stage, ...line }))];
  const data = { report: { checks } as unknown as Prisma.InputJsonObject };
  await context.db.request.update({ where: { id: context.request.id }, data });
}

/** The lines for an account in the operator's AWS account: without its default VPC, which the account cannot use. */
function ofSharedProvider(lines: Check[]): Check[] {
  return lines
    .filter(({ check }) => check !== DEFAULT_VPC)
    .map((line) => (line.who === "owner" ? { ...line, who: "operator" } : line));
}
