namespace Bank.Projection;

/// <summary>How far a projection has read, and of which database: offsets of another database mean other events.</summary>
internal sealed record ProjectionState(string DatabaseId, long Offset);
