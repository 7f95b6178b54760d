import deleteSubnet from "operation:deleteSubnet";
import type { Subnet } from "@gantry/client";
import { useMutation } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { cache, gantry } from "../api.js";
import { Button } from "../controls/button.js";
import { Modal } from "../controls/dialog.js";
import forms from "../controls/form.module.css";
import { Refusal } from "../controls/notice.js";
import { useRefusal } from "../forms/may.js";
import { ReasonForm, useStaffReason } from "../session/staff-reason.js";

const TITLE = "Remove the network";

/** Stands for the removal of a network while the API would refuse it, and removes the subnets, which come first. */
export function RemoveSubnets({ account, subnets }: { account: string; subnets: readonly Subnet[] }) {
  const [isOpen, setOpen] = useState(false);
  const staff = useStaffReason(account);
  const left = subnets.filter(({ removal_started_at }) => !removal_started_at);
  const refusal =
    useRefusal(account, deleteSubnet) ?? (left.length === 0 ? "Its subnets are being removed" : undefined);
  const removing = useMutation({
    mutationFn: async () => {
      const all = (query: { dry_run?: boolean }) =>
        Promise.all(left.map(({ id }) => gantry.call("DELETE", `/subnets/${id}`, { query })));
      // If one of them is in use, none goes.
      await all({ dry_run: true });
      await all({});
    },
    onSuccess: () => setOpen(false),
    onSettled: () => cache.invalidateQueries({ queryKey: ["subnet"] }),
  });
  const close = () => setOpen(false);
  return (
    <>
      <Button disabled={refusal !== undefined} title={refusal} onClick={() => setOpen(true)}>
        <Trash2 aria-hidden />
        {TITLE}
      </Button>
      {isOpen && (
        <Modal title={TITLE} onClose={close}>
          {staff && !staff.reason ? (
            <ReasonForm account={account} />
          ) : (
            <div className={forms.form}>
              <p>
                Its subnets go first: {left.map(({ cidr }) => cidr).join(", ")}. When Gantry has removed them from AWS,
                you can remove the network, which stays until then.
              </p>
              <Refusal error={removing.error} />
              <div className={forms.acts}>
                <Button onClick={close}>Keep</Button>
                <Button kind="danger" isBusy={removing.isPending} onClick={() => removing.mutate()}>
                  {left.length === 1 ? "Remove the subnet" : `Remove the ${left.length} subnets`}
                </Button>
              </div>
            </div>
          )}
        </Modal>
      )}
    </>
  );
}
