import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { peopleQuery } from "../controls/people.js";
import { AuditList } from "./audit-list.js";

export function Page() {
  const { account } = useParams({ from: "/$account/audit" });
  const { data: people } = useQuery(peopleQuery(account));
  return (
    <AuditList
      title="Audit"
      account={account}
      of={[account]}
      path={`/accounts/${account}/audit`}
      list={(query, options) => gantry.accounts.audit(account, query, options)}
      people={people}
    />
  );
}
