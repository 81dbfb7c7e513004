namespace Bank.Accounts;

/// <summary>Asks an account for its <see cref="Balance"/>.</summary>
public sealed record GetBalance;
