import { WifiOff } from "lucide-react";
import { useLostContact } from "../state/contact.js";
import styles from "./frame.module.css";

/** Says that what the page shows may be old. */
export function ContactBar() {
  const lost = useLostContact();
  return (
    <div role="status">
      {lost && (
        <p className={styles.contact}>
          <WifiOff aria-hidden />
          No contact since {lost.toLocaleTimeString([], { hour12: false })}; this is the state of then. Gantry is tried
          again every few seconds.
        </p>
      )}
    </div>
  );
}
