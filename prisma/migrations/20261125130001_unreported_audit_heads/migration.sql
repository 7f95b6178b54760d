-- CreateTable
CREATE TABLE "unreported_audit_heads" (
    "chain" UUID NOT NULL,

    CONSTRAINT "unreported_audit_heads_pkey" PRIMARY KEY ("chain")
);
