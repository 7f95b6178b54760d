import { insertInto, nextId } from "@gantry/db";
import { CREDENTIALS_KEPT_SECONDS, field, provider } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict, unknownType } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { filled, nameText, singleLine } from "../../http/input/names.js";
import { equals, references, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { json, one, requested } from "../../http/reply/reply.js";
import { asFields } from "../../http/rows/rows.js";
import { assertNoDependents } from "../dependents.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { credentialColumns, credentialsInput, externalIdOf, nextCredentialColumns } from "./provider.credentials.js";
import { permissionsBoundaryInput } from "./provider.permissions-boundary.js";
import { enabledRegions, findUsableProvider, requireUsable } from "./provider.rules.js";
import { isProviderType, PROVIDER_TYPES } from "./provider.types.js";
import { refuseForShared, requireOwnAwsAccount, requireSharedAllowed } from "./shared-provider.rules.js";

const filters = {
  name: text,
  account: references("account", "account_id"),
  provisioned_id: text,
  type: equals(z.string()),
};

export const providerEndpoints = [
  endpoint({
    route: "POST /accounts/:account/providers",
    summary:
      "Add an AWS account. For a role, the response contains the external id that its trust policy must require. Without credentials, the provider shares Gantry's own AWS account, if the operator allows it",
    access: "admin",
    body: strict({
      provider: strict({
        type: field(z.string(), "aws"),
        name: nameText.optional(),
        credentials: credentialsInput.optional(),
        provisioned_id: singleLine(100).optional().describe("Shown until AWS reports the account's number"),
        permissions_boundary: permissionsBoundaryInput.optional(),
      }),
    }),
    reply: requested("provision_provider", "provision_shared_provider"),
    handle: async ({ params, body, caller, db, env, keys, vault, createRequest }) => {
      const { id: accountId } = await caller.find("account", params.account);
      const { type, name = null, credentials, permissions_boundary: permissionsBoundary = null } = body.provider;
      if (!isProviderType(type)) throw unknownType("provider", type, "provider.type", PROVIDER_TYPES);
      if (!credentials) {
        requireSharedAllowed(env);
        if (permissionsBoundary) throw refuseForShared("a boundary of roles", "provider.permissions_boundary");
      }
      const id = await nextId(db, "providers");
      const access = await credentialColumns(credentials, { env, vault, provider: { id, accountId } });
      const externalId = externalIdOf(keys.externalIds, accountId);
      const givenId = body.provider.provisioned_id ?? null;
      const row = { id, accountId, type, name, givenId, externalId, permissionsBoundary, ...access };
      return createRequest(access.shared ? "provision_shared_provider" : "provision_provider", {
        accountId,
        resource: { type: "provider", id },
        input: {},
        rows: [insertInto("providers", row)],
        ...(access.roleArn && { extraFields: { external_id: externalId } }),
        conflictsChecked: true,
      });
    },
  }),

  endpoint({
    route: "GET /accounts/:account/external-id",
    summary: "Show the external id that the trust policies of an account's roles must require",
    reply: json(z.object({ external_id: z.string() })),
    handle: async ({ params, caller, keys }) => {
      const { id } = await caller.find("account", params.account);
      return { external_id: externalIdOf(keys.externalIds, id) };
    },
  }),

  listChildren(
    "GET /accounts/:account_id/providers",
    "List an account's providers",
    many(provider, { filters }),
    "provider",
    "account",
  ),

  listRecords("GET /providers", "List providers", many(provider, { filters }), "provider"),

  showRecord("GET /providers/:provider", "Show a provider", one(provider), "provider"),

  endpoint({
    route: "PUT /providers/:provider",
    summary:
      "Change a provider's name, or the permissions boundary of roles created later; `PUT /providers/:provider/credentials` replaces its credentials",
    access: "admin",
    body: strict({
      provider: strict({
        name: nameText.nullable().optional(),
        permissions_boundary: permissionsBoundaryInput.nullable().optional(),
      }),
    }),
    reply: one(provider),
    handle: async ({ params, body, caller, db }) => {
      const provider = await caller.find("provider", params.provider);
      const { id } = provider;
      if (body.provider.permissions_boundary)
        requireOwnAwsAccount(provider, { what: "a boundary of roles" }, "provider.permissions_boundary");
      return db.provider.update({ where: { id }, data: asFields(body.provider) });
    },
  }),

  endpoint({
    route: "PUT /providers/:provider/credentials",
    operation: "replaceProviderCredentials",
    summary:
      "Replace a provider's credentials by others of the same AWS account, once AWS has accepted them. When the Request ends, Gantry no longer uses the old ones",
    access: "admin",
    body: strict({ provider: strict({ credentials: credentialsInput }) }),
    transaction: true,
    reply: requested("replace_provider_credentials"),
    handle: async ({ params, body, caller, db, env, vault, createRequest }) => {
      const provider = await caller.find("provider", params.provider, "update");
      const { id, accountId } = provider;
      requireUsable(provider);
      requireOwnAwsAccount(provider, { what: "a change of credentials" }, "provider.credentials");
      await assertNoUnfinishedRequest(["replace_provider_credentials", "cancel_provider"], db, "provider", id);
      const data = await nextCredentialColumns(body.provider.credentials, { env, vault, provider });
      await db.provider.update({ where: { id }, data });
      // The last call that began with the old credentials has ended by then.
      const input = { settleSeconds: CREDENTIALS_KEPT_SECONDS + env.AWS_CALL_SECONDS };
      return createRequest("replace_provider_credentials", { accountId, resource: { type: "provider", id }, input });
    },
  }),

  endpoint({
    route: "POST /providers/:provider/check",
    summary:
      "Check what would fail in a provider's AWS account, in one region or all regions, without changing anything",
    access: "admin",
    body: strict({ region: field(filled(64).optional(), "us-east-1", "Every enabled region if omitted") }),
    transaction: true,
    reply: requested("check_provider"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { id, accountId } = await caller.find("provider", params.provider);
      if (body.region) await findUsableProvider(caller, id, body.region, "region");
      const regions = body.region ? [body.region] : await enabledRegions(db, id);
      return createRequest("check_provider", { accountId, resource: { type: "provider", id }, input: { regions } });
    },
  }),

  endpoint({
    route: "DELETE /providers/:provider",
    summary: "Cancel a provider without resources",
    access: "admin",
    transaction: true,
    reply: requested("cancel_provider"),
    handle: async ({ params, caller, db, createRequest }) => {
      const { id, accountId, cancelledAt, deletedAt } = await caller.find("provider", params.provider, "update");
      if (cancelledAt || deletedAt) throw conflict(`provider ${id} was already cancelled`);
      await assertNoUnfinishedRequest(["provision_provider", "provision_shared_provider"], db, "provider", id);
      await assertNoDependents(db, "provider", id);
      return createRequest("cancel_provider", { accountId, resource: { type: "provider", id }, input: {} });
    },
  }),
];
