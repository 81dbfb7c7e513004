namespace Bank.Accounts;

/// <summary>An account has carried out the step of a transfer, now or earlier.</summary>
public sealed record Done(string Transfer, bool IsDebit);
