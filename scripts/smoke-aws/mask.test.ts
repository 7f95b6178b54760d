import { masker } from "./mask.js";

it("masks accounts, ids, addresses, hosts and secrets, and keeps references between answers", () => {
  const mask = masker();
  const first = mask({
    VpcId: "vpc-0a1b2c3d4e5f60718",
    Arn: "arn:aws:rds:us-east-1:123456789012:db:gantry-0192f0aa-1111-7222-8333-444455556666",
    PublicIpAddress: "54.210.3.4",
    PublicDnsName: "ec2-54-210-3-4.compute-1.amazonaws.com",
    Address: "gantry-x.cabcdefghijk.us-east-1.rds.amazonaws.com",
    MasterUserPassword: "hunter2",
    RoleId: "AROAEXAMPLE123456789",
    KeyFingerprint: "1f:51",
  });
  expect(first).toEqual({
    VpcId: "vpc-00000000000000001",
    Arn: "arn:aws:rds:us-east-1:900000000001:db:gantry-00000000-0000-4000-8000-000000000001",
    PublicIpAddress: "192.0.2.1",
    PublicDnsName: "ec2-192-0-2-1.compute-1.amazonaws.com",
    Address: "gantry-x.c00000000001.us-east-1.rds.amazonaws.com",
    MasterUserPassword: "masked",
    RoleId: "AROA0000000000000001",
    KeyFingerprint: "masked",
  });
  expect(mask({ Of: "vpc-0a1b2c3d4e5f60718", Other: "vpc-11111111" })).toEqual({
    Of: "vpc-00000000000000001",
    Other: "vpc-00000000000000002",
  });
});

it("keeps private addresses, dates, numbers and types", () => {
  const kept = { CidrBlock: "10.77.0.0/16", Open: "0.0.0.0/0", At: new Date(0), Size: 20, Type: "t3.micro" };
  expect(masker()(kept)).toEqual(kept);
});
