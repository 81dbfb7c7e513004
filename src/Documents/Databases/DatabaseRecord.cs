namespace Jackdaw.Documents;

/// <summary>What the server keeps of a database.</summary>
/// <param name="Name">In the casing of its creation.</param>
/// <param name="Id">The database's own identity: change vectors carry it.</param>
/// <param name="State">Where it is in its life.</param>
/// <param name="Disabled">Answers nothing until enabled.</param>
/// <param name="Etag">Grows with each change of the record.</param>
/// <param name="Json">The record as the client gave it: one JSON object, UTF-8.</param>
public sealed record DatabaseRecord(string Name, Guid Id, DatabaseState State, bool Disabled, long Etag, ReadOnlyMemory<byte> Json);
