import { absent, type ErrorRow, permanent, wait } from "./row.js";

/** Errors of networks, firewalls and addresses. */
export const networkErrors: ErrorRow[] = [
  // RDS and load balancers keep their interfaces for minutes after their own end.
  [
    /^(DependencyViolation|InvalidGroup\.InUse|InvalidNetworkInterface\.InUse|InvalidIPAddress\.InUse|ResourceNotReady$)/,
    wait("AWS to release the objects that depend on this one", 5, 30),
  ],
  [
    /^Invalid(Vpc|Subnet|Group|SecurityGroup|SecurityGroupRule|RouteTable|InternetGateway|Gateway|NatGateway|NetworkInterface|Allocation|Address|Association)I[Dd]\.NotFound$|^Invalid(VpcID|(Group|Address|KeyPair)\.NotFound$)|^NatGatewayNotFound$/,
    absent("AWS to show an object that was just created", 2, 5),
  ],
  [/^InvalidParameterValue$/, wait("AWS to show the gateway in its network", 2, 5), /belong to different networks/],
  [/^NatGatewayDeleting$/, wait("AWS to delete the NAT gateway", 5, 30)],
  [/^InsufficientAddressCapacity$/, wait("AWS to have a free address", 60, 30)],
  [
    /^InsufficientFreeAddressesInSubnet$/,
    permanent("The subnet has no free address; use another subnet, or remove unused resources"),
  ],
  [
    /^InvalidSubnet\.Conflict/,
    permanent("The CIDR block overlaps another subnet of the network in AWS; choose another block"),
  ],
  [/^InvalidSubnet\.Range/, permanent("The CIDR block is not inside the network's CIDR block in AWS")],
  [/^InvalidVpc\.?Range/, permanent("AWS does not accept the CIDR block; use a block between /16 and /28")],
  [
    /^(VPCIdNotSpecified|VPCResourceNotSpecified|MissingInput|DefaultVpcDoesNotExist)$/,
    permanent(
      "The AWS account has no default VPC in this region; use a network, or ask the account's owner to create a default VPC",
    ),
  ],
  [
    /^VpcEncryptionControlViolation/,
    permanent(
      "The network requires encryption that this object does not have; the owner of the AWS account can change that",
    ),
  ],
  [/^InvalidAddress\.Locked$/, permanent("AWS has locked the address; the account's owner can contact AWS Support")],
  [/^Resource\.AlreadyAssociated$/, permanent("The object is already attached to another object in AWS")],
  [/^CannotDelete$/, permanent("AWS cannot remove this object, because it is part of the network")],
  [/^InvalidKey(Pair)?\.Format$/, permanent("AWS does not accept the public key")],
];
