import { collectionOf, modelOf, nameOf, type ResourceType, request, resourceTypes } from "@gantry/resources";
import { type Endpoint, endpoint, type Route } from "../../http/endpoint.js";
import { many } from "../../http/reply/list.js";
import { where } from "../../http/rows/rows.js";
import { onlyParameter } from "../record-endpoints.js";
import { requestList } from "./request.filters.js";

const list = many(request, requestList);

/** The resources whose lists show the Requests on their parts too, as separate endpoints. */
const WITH_PARTS: readonly ResourceType[] = ["account", "environment", "database_service"];

/** Resources whose collection has another name in paths too. */
const ALSO_AS: { readonly [Type in ResourceType]?: Readonly<Record<string, Route>> } = {
  database_server_snapshot: {
    listRequestsOfDatabaseServerSnapshot: "GET /database_server_snapshots/:database_server_snapshot/requests",
  },
};

/** For each resource, the list of the Requests on it. */
export const resourceRequestEndpoints = resourceTypes
  .filter((type) => !WITH_PARTS.includes(type))
  .map(
    (type): Endpoint =>
      endpoint({
        route: `GET /${collectionOf(type)}/:${type}/requests`,
        alsoAs: ALSO_AS[type] ?? {},
        summary: `List the requests on one ${nameOf(type)}`,
        reply: list,
        handle: async ({ params, caller }) => {
          const { id } = await caller.find(modelOf(type), onlyParameter(params));
          return where("request", { resourceType: type, resourceId: String(id) });
        },
      }),
  );
