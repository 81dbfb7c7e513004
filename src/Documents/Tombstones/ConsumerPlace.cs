namespace Jackdaw.Documents.Tombstones;

/// <summary>Where a consumer was at one moment.</summary>
/// <param name="Name">The consumer's.</param>
/// <param name="Etag">It had durably dealt with everything up to it.</param>
/// <param name="Wants">Is a collection's deletion of any interest to it? Null: each is.</param>
/// <param name="Holds">Tombstones behind its position wait for it.</param>
internal readonly record struct ConsumerPlace(string Name, long Etag, Func<string, bool>? Wants, bool Holds);
