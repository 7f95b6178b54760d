import { Heading } from "../controls/panel.js";
import { Tabs } from "../controls/tabs.js";
import { Addresses } from "./addresses.js";
import { Snapshots } from "./snapshots.js";
import { Volumes } from "./volumes.js";

export function Page() {
  return (
    <>
      <Heading title="Storage" />
      <Tabs
        label="Storage"
        tabs={[
          ["volumes", "Volumes", <Volumes key="volumes" />],
          ["snapshots", "Snapshots", <Snapshots key="snapshots" />],
          ["addresses", "Addresses", <Addresses key="addresses" />],
        ]}
      />
    </>
  );
}
