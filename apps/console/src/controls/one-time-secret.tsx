import { Button } from "./button.js";
import { Copy } from "./copy.js";
import styles from "./curl.module.css";
import { Modal } from "./dialog.js";
import dialog from "./dialog.module.css";

/** A secret that only the answer to its creation shows. */
export interface OneTimeSecret {
  what: string;
  value: string;
}

/** Shows a secret once, with a button that copies it. */
export function OneTimeSecretDialog({ secret, onClose }: { secret: OneTimeSecret | undefined; onClose: () => void }) {
  if (!secret) return null;
  const { what, value } = secret;
  return (
    <Modal title={`The new ${what}`} onClose={onClose}>
      <p>Copy it now: Gantry does not show it again.</p>
      <div className={styles.code}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
        <pre tabIndex={0}>{value}</pre>
        <Copy text={value} what={what} />
      </div>
      <div className={dialog.acts}>
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Modal>
  );
}
