namespace Bank.Accounts;

/// <summary>Money left an account for a transfer.</summary>
public sealed record Debited(string Transfer, long Amount);
