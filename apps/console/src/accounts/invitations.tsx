import acceptInvitation from "operation:acceptInvitation";
import declineInvitation from "operation:declineInvitation";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { cache, gantry } from "../api.js";
import { partsOf } from "../controls/record-link.js";
import { Day } from "../controls/time.js";
import { NO_ACCOUNT } from "../forms/may.js";
import { OperationButton } from "../forms/operation.button.js";
import { sessionQuery } from "../session/session.js";
import styles from "./accounts.module.css";

const MOST = 100;

/** The invitations that a person can accept or decline; nothing if there is none. */
export function Invitations() {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["invitation", "own"],
    queryFn: ({ signal }) => gantry.users.currentInvitations({ per_page: MOST }, { signal }).page(),
  });
  if (!data || data.items.length === 0) return null;
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations to you</h2>
      <ul>
        {data.items.map(({ id, account, role, expires_at: end }) => {
          const [, accountId = ""] = partsOf(account);
          return (
            <li key={id} className={styles.invitation}>
              <span>
                Account {accountId.slice(0, 8)} as {role}, until <Day at={end} />
              </span>
              <OperationButton
                account={NO_ACCOUNT}
                operation={acceptInvitation}
                ids={[id]}
                act="Accept"
                title="Accept the invitation"
                onDone={async () => {
                  await cache.fetchQuery({ ...sessionQuery, staleTime: 0 });
                  await navigate({ to: "/$account", params: { account: accountId } });
                }}
              >
                <p>You become a member of the account, as {role}.</p>
              </OperationButton>
              <OperationButton
                account={NO_ACCOUNT}
                operation={declineInvitation}
                ids={[id]}
                act="Decline"
                title="Decline the invitation"
                kind="danger"
              >
                <p>The invitation ends. An admin of the account can invite you again.</p>
              </OperationButton>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
