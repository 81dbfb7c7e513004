namespace Bank.Accounts;

/// <summary>Takes money for a transfer; repeating it takes nothing more.</summary>
public sealed record Debit(string Transfer, long Amount);
