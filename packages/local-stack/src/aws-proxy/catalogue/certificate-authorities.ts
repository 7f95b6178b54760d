/** RDS's CAs; new instances have the first one: "Using SSL/TLS to encrypt a connection to a DB instance" in the RDS user guide. */
export const CERTIFICATE_AUTHORITIES = ["rds-ca-rsa2048-g1", "rds-ca-rsa4096-g1", "rds-ca-ecc384-g1"];
