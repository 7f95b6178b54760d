/** How long things take to become usable, in milliseconds; 0 or left out is at once. */
export interface SlownessSettings {
  instanceMs?: number;
  volumeMs?: number;
  snapshotMs?: number;
  databaseMs?: number;
}

/** How slow the emulator is made to look: by default, and in single AWS accounts. */
export class Slowness {
  private readonly accounts = new Map<string, SlownessSettings>();

  constructor(private usual: SlownessSettings = {}) {}

  of(accountId: string): SlownessSettings {
    return this.accounts.get(accountId) ?? this.usual;
  }

  /** Changes it for one account, or for all that have none of their own. */
  set(settings: SlownessSettings, accountId?: string): void {
    if (accountId) this.accounts.set(accountId, settings);
    else this.usual = settings;
  }
}
