import type { Environment } from "@gantry/client";
import { Facts } from "../controls/facts.js";
import form from "../controls/form.module.css";
import { Secret } from "../controls/secret.js";

const yes = (flag: boolean) => (flag ? "yes" : "no");

/** What servers get that the environment boots from now on, and its key. */
export function EnvironmentSettings({ environment }: { environment: Environment }) {
  return (
    <div className={form.padded}>
      <Facts
        facts={[
          ["Stage", environment.framework_env],
          ["Language", environment.language],
          ["Stack", environment.stack_name],
          ["Database stack", environment.database_stack],
          ["Deploy method", environment.deploy_method],
          ["User on servers", environment.username],
          ["Encrypts all volumes", yes(environment.encrypted_ebs_for_everything)],
          ["Encrypts database volumes", yes(environment.encrypted_database_ebs)],
          ["Keeps the database version", yes(environment.lock_db_version)],
          ["Snapshots kept", `${environment.snapshot_limit}, for ${environment.snapshot_retention} days`],
          [
            "Database backups",
            `every ${environment.database_backup_interval} hours, ${environment.database_backup_limit} kept`,
          ],
          [
            "Private key",
            <Secret
              key="key"
              what="private key"
              path={`/environments/${environment.id}`}
              find={(body) => (body as { environment: Environment }).environment.internal_private_key}
            />,
          ],
        ]}
      />
    </div>
  );
}
