import { Modal } from "../controls/dialog.js";
import styles from "./palette.module.css";

const KEYS = [
  ["Ctrl K or ⌘ K", "search, or go to a page"],
  ["/", "go to the filter of the list"],
  ["g o", "overview"],
  ["g r", "Requests"],
  ["g n", "networks"],
  ["g e", "environments"],
  ["g s", "servers"],
  ["g d", "databases"],
  ["?", "this list"],
] as const;

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal title="Keys" onClose={onClose}>
      <dl className={styles.keys}>
        {KEYS.map(([keys, act]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{act}</dd>
          </div>
        ))}
      </dl>
      <p>You can turn off the keys without Ctrl in your profile.</p>
    </Modal>
  );
}
