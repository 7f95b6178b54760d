import { deepEqual, match, notDeepEqual, notEqual } from "node:assert/strict";
import { ensureWorkerIdentity } from "@gantry/test/support/process-identity";
import { requestCredentials } from "@gantry/test/support/provider-credentials";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { callerAccount } from "../../aws/checks/caller.js";
import type { Check } from "../../aws/checks/check.js";
import { describeRegions, describeZones } from "../../aws/ec2/locations.js";

const onProvider =
  (type: "provision_provider" | "provision_shared_provider" | "discover_provider_locations" | "cancel_provider") =>
  ({ db, customer }: ScenarioContext) =>
    createRequestOf(db, customer, type, { type: "provider", id: customer.provider.id }, {});

/** Deletes the recorded zones, so that a discovery has to find them all. */
async function forgetZones({ db, customer }: ScenarioContext): Promise<void> {
  await db.providerLocation.deleteMany({ where: { providerId: customer.provider.id, parentId: { not: null } } });
}

/** The provider's recorded regions with their zones. */
async function readLocations({ db, customer }: ScenarioContext) {
  const regions = await db.providerLocation.findMany({
    where: { providerId: customer.provider.id, parentId: null },
    include: { children: true },
  });
  return regions.map(({ id, locationId, disabledReason, children }) => ({
    id,
    locationId,
    disabledReason,
    zones: children.map((zone) => zone.locationId),
  }));
}

/** Asserts that every region of AWS is on record with zones. One that AWS denied is disabled, with AWS's reason. */
async function verifyRegions(context: ScenarioContext): Promise<void> {
  const locations = await readLocations(context);
  deepEqual(locations.map(({ locationId }) => locationId).sort(), (await describeRegions(context.aws)).sort());
  const [denied, ...others] = locations.filter(({ zones }) => zones.length === 0);
  deepEqual(others, []);
  if (denied) notEqual(denied.disabledReason, null);
}

export const providerScenarios = {
  provision_provider: {
    createRequest: async (context) => {
      const where = { id: context.customer.provider.id };
      await context.db.provider.update({ where, data: { provisionedId: null } });
      await forgetZones(context);
      return onProvider("provision_provider")(context);
    },
    afterSuccess: {},
    afterFailure: {},
    verify: async (context, { resourceId }) => {
      const { provisionedId } = await context.db.provider.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      deepEqual(provisionedId, await callerAccount(context.aws));
      await verifyRegions(context);
    },
    calls: 1,
  },
  provision_shared_provider: {
    createRequest: async (context) => {
      const { db, customer } = context;
      ensureWorkerIdentity(customer.awsAccount);
      const data = { shared: true, credentials: null, roleArn: null, provisionedId: null };
      await db.provider.update({ where: { id: customer.provider.id }, data });
      await forgetZones(context);
      return onProvider("provision_shared_provider")(context);
    },
    afterSuccess: {},
    afterFailure: {},
    verify: async (context, { resourceId }) => {
      const { provisionedId } = await context.db.provider.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      match(provisionedId ?? "", /^\d{12}$/);
      await verifyRegions(context);
    },
    calls: 1,
  },
  discover_provider_locations: {
    createRequest: async (context) => {
      await forgetZones(context);
      return onProvider("discover_provider_locations")(context);
    },
    afterSuccess: {},
    verify: verifyRegions,
    calls: 1,
  },
  discover_provider_location: {
    createRequest: async (context) => {
      const { db, customer } = context;
      await forgetZones(context);
      const where = { providerId: customer.provider.id, parentId: null };
      const { id } = await db.providerLocation.findFirstOrThrow({ where });
      return createRequestOf(db, customer, "discover_provider_location", { type: "provider_location", id }, {});
    },
    afterSuccess: {},
    verify: async (context, { resourceId }) => {
      const region = (await readLocations(context)).find(({ id }) => id === resourceId);
      // A region that AWS denies is disabled, with AWS's reason.
      if (region?.disabledReason) return deepEqual(region.zones, []);
      deepEqual(region?.zones.sort(), (await describeZones(context.aws)).sort());
    },
    oneIn: 3,
  },
  replace_provider_credentials: {
    createRequest: (context) => requestCredentials(context, context.customer.awsAccount),
    afterSuccess: {},
    afterFailure: {},
    verify: async ({ db, customer }, { resourceId }) => {
      const provider = await db.provider.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      notDeepEqual(provider.credentials, customer.provider.credentials);
      deepEqual([provider.nextCredentials, provider.nextRoleArn], [null, null]);
      notEqual(provider.credentialsReplacedAt, null);
    },
  },
  check_provider: {
    createRequest: ({ db, customer }) => {
      const resource = { type: "provider", id: customer.provider.id } as const;
      return createRequestOf(db, customer, "check_provider", resource, { regions: ["us-east-1"] });
    },
    afterSuccess: {},
    verify: async ({ db }, { resourceId }) => {
      const { report } = await db.request.findFirstOrThrow({
        where: { resourceId, type: "check_provider" },
        orderBy: { seq: "desc" },
      });
      const { checks } = report as unknown as { checks: Check[] };
      const names = checks.map(({ check, region }) => `${check} ${region}`);
      deepEqual(names, [...new Set(names)]);
      deepEqual(names.length, 18);
      deepEqual(
        checks.filter(({ reason }) => reason.startsWith("This could not") || /actions are denied/.test(reason)),
        [],
      );
    },
    oneIn: 4,
  },
  cancel_provider: {
    createRequest: onProvider("cancel_provider"),
    afterSuccess: {},
    verify: async ({ db }, { resourceId }) => {
      const provider = await db.provider.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      notEqual(provider.cancelledAt, null);
      deepEqual([provider.deletedAt, provider.credentials], [provider.cancelledAt, null]);
    },
  },
} satisfies Scenarios;
