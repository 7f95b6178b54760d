import retryRequestLeakedResource from "operation:retryRequestLeakedResource";
import type { Request } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { OperationButton } from "../forms/operation.button.js";
import { isCreation } from "./cancel-text.js";
import styles from "./request.module.css";
import { givenUpQuery, leaksQuery, requestTypesQuery } from "./requests.queries.js";

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
  if (!ended) return null;
  const instead = types?.get(request.type)?.instead_of_retry;
  return (
    <section className={styles.reason} aria-label={label}>
      {message && state === "failed" && <p className={styles.sentence}>{message}</p>}
      {state === "cancelled" && <p className={styles.sentence}>Cancelled by request.</p>}
      {givenUp && <p className={styles.sentence}>{givenUp}</p>}
      {leaks?.length === 0 && isCreation(request.type) && <p>Nothing is left in AWS.</p>}
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
      {instead && <p>{instead}</p>}
    </section>
  );
}
