/** How long things take to become usable, in milliseconds; 0 or left out is at once. */
export interface TransitionDelays {
  instanceMs?: number;
  volumeMs?: number;
  snapshotMs?: number;
  databaseMs?: number;
}

/** How slow the emulator is made to look: by default, and in single AWS accounts. */
export class TransitionDelaySettings {
  private readonly accounts = new Map<string, TransitionDelays>();

  constructor(private defaults: TransitionDelays = {}) {}

  of(accountId: string): TransitionDelays {
    return this.accounts.get(accountId) ?? this.defaults;
  }

  /** Changes it for one account, or for all that have none of their own. */
  set(settings: TransitionDelays, accountId?: string): void {
    if (accountId) this.accounts.set(accountId, settings);
    else this.defaults = settings;
  }
}
