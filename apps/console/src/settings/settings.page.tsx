import patchAccount from "operation:patchAccount";
import type { Account } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { gantry } from "../api.js";
import { Curl } from "../controls/curl.js";
import { Facts, Id } from "../controls/facts.js";
import { Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { sessionQuery } from "../session/session.js";

const CHANGED = ["account.emergency_contact", "account.encryption"];

export function Page() {
  const { account } = useParams({ from: "/$account/settings" });
  const { data: session } = useQuery(sessionQuery);
  const isStaff = session?.session?.user.staff;
  const { data, error, refetch } = useQuery({
    queryKey: ["account", account],
    queryFn: ({ signal }): Promise<Account> => gantry.accounts.get(account, { signal }),
  });
  return (
    <>
      <Heading title="Settings">
        {data && (
          <OperationButton
            account={account}
            operation={patchAccount}
            ids={[account]}
            act="Edit"
            icon={<Pencil aria-hidden />}
            record={data}
            only={isStaff ? [...CHANGED, "account.open_request_limit"] : CHANGED}
          />
        )}
        <Curl path={`/accounts/${account}`} />
      </Heading>
      {error && <Refusal error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data && (
        <Panel>
          <div className={panels.form}>
            <Facts
              facts={[
                ["Name", data.name],
                ["Id", <Id key="id" id={data.id} />],
                ["Emergency contact", data.emergency_contact ?? "none"],
                ["Encryption of disks and databases", data.encryption],
                ["Created", <Ago key="created" at={data.created_at} />],
              ]}
            />
          </div>
        </Panel>
      )}
    </>
  );
}
