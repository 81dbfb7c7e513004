namespace Bank.Transfers;

/// <summary>Begins a transfer, or asks for the outcome of one that began earlier.</summary>
public sealed record Begin(string From, string To, long Amount);
