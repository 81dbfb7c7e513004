namespace Bank.Transfers;

/// <summary>The money has left its account.</summary>
public sealed record TransferDebited;
