import type { Request } from "@gantry/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { cache, gantry } from "../api.js";
import { Button } from "../controls/button.js";
import { Confirmation } from "../controls/dialog.js";
import { titleOf } from "../controls/title.js";
import { cancelText } from "./cancel-text.js";
import { requestQuery } from "./requests.queries.js";

/** Cancels or retries a Request, if its state and type allow it. */
export function RequestActs({ account, request }: { account: string; request: Request }) {
  const [asked, setAsked] = useState<"cancel" | "retry">();
  const [key, setKey] = useState("");
  const navigate = useNavigate();
  const ask = (act: "cancel" | "retry") => {
    setKey(crypto.randomUUID());
    setAsked(act);
  };
  const cancelling = useMutation({
    mutationFn: () => gantry.call("POST", `/requests/${request.id}/cancel`, { idempotencyKey: key }),
    onSuccess: ({ body }) => {
      cache.setQueryData(requestQuery(request.id).queryKey, (body as { request: Request }).request);
      setAsked(undefined);
    },
  });
  const retrying = useMutation({
    mutationFn: () => gantry.call("POST", `/requests/${request.id}/retry`, { idempotencyKey: key }),
    onSuccess: ({ body }) => {
      setAsked(undefined);
      const { id } = (body as { request: Request }).request;
      void navigate({ to: "/$account/requests/$request", params: { account, request: id } });
    },
  });
  const close = () => {
    setAsked(undefined);
    cancelling.reset();
    retrying.reset();
  };
  return (
    <>
      {request.can_cancel && <Button onClick={() => ask("cancel")}>Cancel</Button>}
      {request.can_retry && <Button onClick={() => ask("retry")}>Retry</Button>}
      {asked === "cancel" && (
        <Confirmation
          title="Cancel this Request?"
          act="Cancel the Request"
          onConfirm={() => cancelling.mutate()}
          onClose={close}
          isBusy={cancelling.isPending}
          error={cancelling.error}
        >
          <p>
            Gantry stops “{titleOf(request.type)}”. {cancelText(request.type)}
          </p>
        </Confirmation>
      )}
      {asked === "retry" && (
        <Confirmation
          title="Retry this Request?"
          act="Retry"
          kind="primary"
          onConfirm={() => retrying.mutate()}
          onClose={close}
          isBusy={retrying.isPending}
          error={retrying.error}
        >
          <p>A new Request does “{titleOf(request.type)}” again from its start.</p>
        </Confirmation>
      )}
    </>
  );
}
