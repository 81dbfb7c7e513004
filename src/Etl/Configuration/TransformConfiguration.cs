using System.Text;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Etl.Configuration;

/// <summary>A script over collections.</summary>
public sealed record TransformConfiguration
{
    /// <summary>Unique in its task, whatever its casing; a position is found again by it.</summary>
    public required string Name { get; init; }

    /// <summary>True when the transform does not run.</summary>
    public bool Disabled { get; init; }

    /// <summary>Names of collections in any casing; unknown ones are empty. Ignored with <see cref="ApplyToAllDocuments"/>.</summary>
    public IReadOnlyList<string> Collections { get; init; } = [];

    /// <summary>All documents but those of collections that begin with <c>@</c>.</summary>
    public bool ApplyToAllDocuments { get; init; }

    /// <summary>JavaScript; see docs/etl.md, "Scripts".</summary>
    public required string Script { get; init; }

    /// <summary>Send deletions too.</summary>
    public bool PublishDeletes { get; init; }

    /// <summary>Where it starts when it has no position yet.</summary>
    public StartPosition Start { get; init; } = StartPosition.Beginning;

    /// <summary>Does another one read the same changes, whatever its script makes of them?</summary>
    internal bool ReadsTheSameAs(TransformConfiguration other) =>
        PublishDeletes == other.PublishDeletes
        && ApplyToAllDocuments == other.ApplyToAllDocuments
        && (ApplyToAllDocuments || Collections.ToHashSet(StringComparer.OrdinalIgnoreCase).SetEquals(other.Collections));

    /// <summary>It names the collection of events; one over all documents reads none.</summary>
    internal bool ReadsEvents => !ApplyToAllDocuments && Collections.Any(EventsRoom.IsEvents);

    /// <summary>What of its collections it is for.</summary>
    internal ChangeKinds WantedKinds => PublishDeletes ? ChangeKinds.All : ChangeKinds.Documents;

    /// <summary>Is it for the documents of a collection? In any casing.</summary>
    internal bool Wants(string collection) =>
        ApplyToAllDocuments
            ? !IsSystemCollection(Encoding.UTF8.GetBytes(collection))
            : Collections.Contains(collection, StringComparer.OrdinalIgnoreCase);

    /// <summary>Does an ETL over all documents pass by this collection?</summary>
    internal static bool IsSystemCollection(ReadOnlySpan<byte> name) =>
        name.Length > 0 && name[0] == (byte)'@' && !name.SequenceEqual("@empty"u8);
}
