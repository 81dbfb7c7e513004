namespace Bank.Accounts;

/// <summary>Gives money of a transfer; repeating it gives nothing more.</summary>
public sealed record Credit(string Transfer, long Amount);
