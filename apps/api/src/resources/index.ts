import type { Endpoint } from "../http/endpoint.js";
import { networkEndpoints } from "./networks/network.endpoints.js";
import { requestEndpoints } from "./requests/request.endpoints.js";
import { tokenEndpoints } from "./tokens/token.endpoints.js";

/** Everything that can be asked of the service. */
export const endpoints: Endpoint[] = [...tokenEndpoints, ...networkEndpoints, ...requestEndpoints];
