namespace Bank.Accounts;

/// <summary>An account was opened. Amounts are in cents.</summary>
public sealed record Opened(long Amount);
