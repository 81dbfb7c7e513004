namespace Jackdaw.Documents.Watching;

/// <summary>What a transaction did in a collection.</summary>
/// <param name="CollectionId">Never used for another name in the life of the database.</param>
/// <param name="Name">In the casing of its first use; not changed by anyone.</param>
/// <param name="Kinds">What happened.</param>
internal readonly record struct CollectionChange(uint CollectionId, byte[] Name, ChangeKinds Kinds);
