namespace Jackdaw.Server.Endpoints.Databases;

/// <summary>A database record as a client sent it.</summary>
/// <param name="Name">The DatabaseName; null when it has none.</param>
/// <param name="Disabled">Null when the record does not say.</param>
/// <param name="Kept">What to store of it: one JSON object.</param>
internal sealed record GivenRecord(string? Name, bool? Disabled, ReadOnlyMemory<byte> Kept);
