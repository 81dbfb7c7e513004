namespace Jackdaw.Storage;

/// <summary>A roll back of a lazily durable environment to its last durable state.</summary>
/// <param name="Generation">The environment's generation since then.</param>
/// <param name="From">The newest transaction that was taken back.</param>
/// <param name="To">The transaction that the environment went back to.</param>
/// <param name="MayReturn">
/// What was being written may be whole on the disk, and the disk refused to say that it does not count: a crash before the next journal
/// write may bring it back, all of it or nothing.
/// </param>
/// <param name="Cause">Why the journal could not be written.</param>
public sealed record RolledBack(int Generation, long From, long To, bool MayReturn, Exception Cause);
