/** AWS's list prices in us-east-1, in US dollars, approximate: https://aws.amazon.com/vpc/pricing/, as of May 2026. */
const PRICES = { natGatewayHour: 0.045, natGatewayGb: 0.045, publicAddressHour: 0.005 } as const;

const HOURS_A_MONTH = 730;
const SOURCE = "approximate list price of us-east-1, May 2026";

/** What AWS bills for public IPv4 addresses, in sentences; none for no address. */
export function publicAddressCosts(count: number): string[] {
  if (count === 0) return [];
  const what = count === 1 ? "a public IPv4 address" : `${count} public IPv4 addresses`;
  return [`${what}: ${hourly(count * PRICES.publicAddressHour)} (${SOURCE})`];
}

/** What AWS bills for a NAT gateway with its address, in sentences. */
export function natGatewayCosts(): string[] {
  const { natGatewayHour, natGatewayGb } = PRICES;
  return [
    `a NAT gateway: ${hourly(natGatewayHour)}, and $${natGatewayGb} for each GB through it (${SOURCE})`,
    ...publicAddressCosts(1),
  ];
}

function hourly(dollars: number): string {
  return `about $${Number(dollars.toFixed(3))} an hour, $${(dollars * HOURS_A_MONTH).toFixed(2)} a month`;
}
