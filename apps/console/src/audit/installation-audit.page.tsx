import { useParams } from "@tanstack/react-router";
import { gantry } from "../api.js";
import { AuditList } from "./audit-list.js";

export function Page() {
  const { account } = useParams({ from: "/$account/staff/audit" });
  return (
    <AuditList
      title="Installation audit"
      account={account}
      of={["installation"]}
      path="/audit"
      list={(query, options) => gantry.audit.list(query, options)}
    />
  );
}
