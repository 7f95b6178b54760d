/** Where calls are sent that concern an AWS account as a whole. */
export const HOME_REGION = "us-east-1";
