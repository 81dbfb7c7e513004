namespace Bank.Accounts;

/// <summary>What an account holds, in cents.</summary>
public sealed record Balance(string Account, long Amount);
