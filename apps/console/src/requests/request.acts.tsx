import cancelRequest from "operation:cancelRequest";
import retryRequest from "operation:retryRequest";
import type { Request } from "@gantry/client";
import { cache } from "../api.js";
import { titleOf } from "../controls/title.js";
import { OperationButton } from "../forms/operation.button.js";
import { cancelText } from "./cancel-text.js";
import { requestQuery } from "./requests.queries.js";

/** Cancels or retries a Request, if its state and type allow it. */
export function RequestActs({ account, request }: { account: string; request: Request }) {
  const { id, type, can_cancel, can_retry } = request;
  return (
    <>
      <OperationButton
        account={account}
        operation={cancelRequest}
        ids={[id]}
        act="Cancel"
        title="Cancel the Request"
        kind="danger"
        isOffered={can_cancel}
        onDone={(body) => cache.setQueryData(requestQuery(id).queryKey, (body as { request: Request }).request)}
      >
        <p>
          Gantry stops “{titleOf(type)}”. {cancelText(type)}
        </p>
      </OperationButton>
      <OperationButton
        account={account}
        operation={retryRequest}
        ids={[id]}
        act="Retry"
        title="Retry the Request"
        isOffered={can_retry}
      >
        <p>A new Request does “{titleOf(type)}” again from its start.</p>
      </OperationButton>
    </>
  );
}
