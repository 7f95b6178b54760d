import retryRequestLeakedResource from "operation:retryRequestLeakedResource";
import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { Fragment } from "react";
import { subjectText, titleOf } from "../controls/title.js";
import { OperationButton } from "../forms/operation.button.js";
import { isCreation } from "./cancel-text.js";
import styles from "./request.module.css";
import { childrenLeaksQuery, givenUpQuery, leaksQuery, requestTypesQuery } from "./requests.queries.js";

interface ReasonProps {
  account: string;
  request: Request;
  label?: string;
}

/** Why a Request ended badly, what it left in AWS, and what to do if it cannot be retried. */
export function Reason({ account, request, label = "Reason" }: ReasonProps) {
  const { id, state, message, finished_at } = request;
  const { data: types } = useQuery(requestTypesQuery);
  const ended = finished_at !== null && state !== "finished";
  const { data: leaks } = useQuery({ ...leaksQuery(id), enabled: finished_at !== null });
  const { data: givenUp } = useQuery({ ...givenUpQuery(id), enabled: ended });
  const { data: children } = useQuery({ ...childrenLeaksQuery(id), enabled: ended });
  if (!ended) return null;
  const isNothingLeft = leaks?.length === 0 && children?.areAllEnded && children.leaking.length === 0;
  const instead = types?.get(request.type)?.instead_of_retry;
  return (
    <section className={styles.reason} aria-label={label}>
      {message && state === "failed" && <p className={styles.sentence}>{message}</p>}
      {state === "cancelled" && <p className={styles.sentence}>Cancelled by request.</p>}
      {givenUp && <p className={styles.sentence}>{givenUp}</p>}
      {isNothingLeft && isCreation(request.type) && <p>Nothing is left in AWS.</p>}
      {/* A Request that gave up names what its children left too. */}
      {leaks?.length === 0 && children && children.leaking.length > 0 && (
        <p>
          Left in AWS by{" "}
          {children.leaking.map((child, index) => (
            <Fragment key={child.id}>
              {index > 0 && ", "}
              <Link to="/$account/requests/$request" params={{ account, request: child.id }}>
                {titleOf(child.type)} {subjectText(child)}
              </Link>
            </Fragment>
          ))}
          . Open each one to see what it left, and to remove it.
        </p>
      )}
      {leaks && leaks.length > 0 && (
        <>
          <p>
            Left in AWS:{" "}
            {leaks
              .map(({ kind, id: cloudId, region }) => `${kind} ${cloudId ?? "without an id"} in ${region}`)
              .join(", ")}
            . Gantry tries again to remove it.
          </p>
          <div>
            <OperationButton
              account={account}
              operation={retryRequestLeakedResource}
              ids={[id]}
              act="Remove what is left"
              icon={<Trash2 aria-hidden />}
            />
          </div>
        </>
      )}
      {instead && <p>It cannot be retried; {instead}.</p>}
    </section>
  );
}
