namespace Jackdaw.Storage;

/// <summary>When commits become durable.</summary>
public enum Durability
{
    /// <summary>Each commit is a record of the journal, and readers see it when that is written.</summary>
    EachCommit,

    /// <summary>
    /// Readers see each commit at once. One journal write, about once a second, makes many durable; a crash, or a disk that refuses the
    /// write, takes back those since the last. For what can be made again from something else: docs/decisions/0019-lazy-durability.md.
    /// </summary>
    Lazy,
}
