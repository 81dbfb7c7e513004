namespace Bank.Accounts;

/// <summary>Opens an account; opening it again changes nothing.</summary>
public sealed record Open(long Amount);
