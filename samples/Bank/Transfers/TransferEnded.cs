namespace Bank.Transfers;

/// <summary>The money has arrived, or it never left.</summary>
public sealed record TransferEnded(bool IsRefused);
