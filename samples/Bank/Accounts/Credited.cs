namespace Bank.Accounts;

/// <summary>Money of a transfer reached an account.</summary>
public sealed record Credited(string Transfer, long Amount);
