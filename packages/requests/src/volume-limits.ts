/** AWS's limits for one EBS volume; IOPS are those of a volume of type io1. */
export const VOLUME_LIMITS = { minIops: 100, maxIops: 4000, maxIopsPerGb: 50, maxSizeGb: 16_384 } as const;
