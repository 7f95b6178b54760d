CREATE INDEX CONCURRENTLY "tokens_trusted_issuer_idx" ON "tokens"("trusted_issuer");
