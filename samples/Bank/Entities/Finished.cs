namespace Bank.Entities;

/// <summary>An entity has nothing more to do; its supervisor need not start it again.</summary>
public sealed record Finished;
