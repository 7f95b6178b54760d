import { z } from "zod";
import { equals, references, text } from "../../http/filters.js";

/** What lists of database servers can be narrowed by. */
export const databaseServerFilters = {
  provisioned_id: text,
  provisioner_id: text,
  endpoint: text,
  engine: text,
  version: text,
  storage: equals(z.coerce.number().int(), "storage_gb"),
  provider: references("provider", "provider_id"),
  database_service: references("databaseService", "database_service_id"),
  flavor: text,
  location: text,
};
