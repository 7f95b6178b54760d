/** The region for calls that concern an AWS account as a whole. */
export const HOME_REGION = "us-east-1";
