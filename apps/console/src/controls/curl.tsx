import { SquareTerminal } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.js";
import { Copy } from "./copy.js";
import styles from "./curl.module.css";
import { Modal } from "./dialog.js";

/** The same call for a terminal. */
export function Curl({ method = "GET", path, body }: { method?: string; path: string; body?: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const lines = [
    `curl -sS --fail-with-body ${method === "GET" ? "" : `-X ${method} `}${location.origin}${path}`,
    '-H "Authorization: Bearer $GANTRY_TOKEN"',
    ...(body ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`] : []),
  ];
  const text = lines.join(" \\\n  ");
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <SquareTerminal aria-hidden /> curl
      </Button>
      {isOpen && (
        <Modal title="The same call with curl" onClose={() => setOpen(false)}>
          <div className={styles.code}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard must be able to scroll it */}
            <pre tabIndex={0}>{text}</pre>
            <Copy text={text} what="command" />
          </div>
        </Modal>
      )}
    </>
  );
}
