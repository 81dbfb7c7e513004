namespace Bank.Transfers;

/// <summary>A transfer began. Amounts are in cents.</summary>
public sealed record TransferStarted(string From, string To, long Amount);
