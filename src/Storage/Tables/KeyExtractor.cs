namespace Jackdaw.Storage.Tables;

/// <summary>
/// Writes a row's key in one index to <paramref name="destination"/> (at least 1,024 bytes) and returns its length; -1 when the
/// index leaves this
/// row out. Must depend on its arguments only: it is asked again when the row is deleted, and by the check.
/// </summary>
public delegate int KeyExtractor(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination);
