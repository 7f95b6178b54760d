interface Shown {
  region: string;
  /** The instance's identifier in RDS. */
  provisionedId: string;
}

function consoleOf({ region }: Shown, service: string): string {
  const place = encodeURIComponent(region);
  return `https://${place}.console.aws.amazon.com/${service}/home?region=${place}`;
}

/** Where AWS's console lists an instance's log files and, on the same page, its events. */
export function logsAndEventsUrl(shown: Shown): string {
  const id = encodeURIComponent(shown.provisionedId);
  return `${consoleOf(shown, "rds")}#database:id=${id};is-cluster=false;tab=logs-and-events`;
}

/** Where CloudWatch's console shows an instance's metrics. It writes what a query holds in hexadecimal after a star. */
export function metricsUrl(shown: Shown): string {
  const search = `{AWS/RDS,DBInstanceIdentifier} DBInstanceIdentifier="${shown.provisionedId}"`;
  const query = search.replace(/[^A-Za-z0-9_.-]/g, (sign) => `*${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `${consoleOf(shown, "cloudwatch")}#metricsV2:graph=~();query=~'${query}`;
}
