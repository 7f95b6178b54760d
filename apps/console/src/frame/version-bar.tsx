import { version } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { Button } from "../controls/button.js";
import { sessionQuery } from "../session/session.js";
import styles from "./frame.module.css";

/** Offers to load the page again once the API has another version than the one that this page was built for. */
export function VersionBar() {
  const { data } = useQuery(sessionQuery);
  const isOther = data !== undefined && data.version !== version;
  return (
    <div role="status">
      {isOther && (
        <p className={styles.reason}>
          <RefreshCw aria-hidden />
          {`Gantry was updated to ${data.version}. This page is still that of ${version}.`}
          <Button kind="link" onClick={() => location.reload()}>
            Reload
          </Button>
        </p>
      )}
    </div>
  );
}
