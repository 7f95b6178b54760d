interface ConsoleTarget {
  region: string;
  /** The instance's identifier in RDS. */
  provisionedId: string;
}

function consoleUrl({ region }: ConsoleTarget, service: string): string {
  const encodedRegion = encodeURIComponent(region);
  return `https://${encodedRegion}.console.aws.amazon.com/${service}/home?region=${encodedRegion}`;
}

/** The URL in AWS's console of an instance's log files and events: one page lists both. */
export function logsAndEventsUrl(target: ConsoleTarget): string {
  const id = encodeURIComponent(target.provisionedId);
  return `${consoleUrl(target, "rds")}#database:id=${id};is-cluster=false;tab=logs-and-events`;
}

/** The URL in CloudWatch's console of an instance's metrics. A star and two hexadecimal digits escape a character. */
export function metricsUrl(target: ConsoleTarget): string {
  const search = `{AWS/RDS,DBInstanceIdentifier} DBInstanceIdentifier="${target.provisionedId}"`;
  const query = search.replace(/[^A-Za-z0-9_.-]/g, (sign) => `*${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `${consoleUrl(target, "cloudwatch")}#metricsV2:graph=~();query=~'${query}`;
}
