/** A setting with a default value and values of single AWS accounts. */
export class AccountSettings<Value> {
  private readonly accounts = new Map<string, Value>();

  constructor(private defaultValue: Value) {}

  of(accountId: string): Value {
    return this.accounts.get(accountId) ?? this.defaultValue;
  }

  /** Sets the value of one account, or the default value. */
  set(value: Value, accountId?: string): void {
    if (accountId) this.accounts.set(accountId, value);
    else this.defaultValue = value;
  }
}
