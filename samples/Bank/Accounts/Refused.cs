namespace Bank.Accounts;

/// <summary>An account does not hold what a transfer wants.</summary>
public sealed record Refused(string Transfer);
