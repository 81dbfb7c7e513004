using Jackdaw.Storage;
using Jackdaw.Storage.Tables;

namespace Jackdaw.Documents.Rooms;

/// <summary>
/// What another project keeps in each database beside the documents: values under keys of its own, trees and tables. Documents
/// knows nothing else of it. Registered in <see cref="DatabasesOptions.Rooms"/>, so that <c>check</c> and <c>compact</c> do their
/// part. Changed by operations that the room defines (<see cref="RoomOperation"/>), read through
/// <see cref="Reading.DocumentsReader.Of"/>. Reasons: docs/decisions/0026-rooms-of-a-database.md.
/// </summary>
public abstract class Room
{
    /// <summary>Creates a room.</summary>
    /// <param name="name">
    /// Lower-case letters and hyphens. The keys of its values, and the names of its trees and tables, begin with it and a slash.
    /// </param>
    protected Room(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Invariant.Require(name.Length > 0 && name.All(c => char.IsAsciiLetterLower(c) || c == '-'));
        Name = name;
        Prefix = name + "/";
    }

    /// <summary>Unique among the rooms of a server.</summary>
    public string Name { get; }

    /// <summary>The names of its trees in the catalog.</summary>
    public virtual IReadOnlyList<string> Trees => [];

    /// <summary>Its tables.</summary>
    public virtual IReadOnlyList<TableSchema> Tables => [];

    /// <summary>
    /// The folder below each database's in which it keeps environments of its own (<see cref="Database.OpenEnvironment"/>), which can be
    /// made again from the documents; null: none.
    /// </summary>
    public virtual string? EnvironmentsFolder => null;

    internal string Prefix { get; }

    internal bool HasStructures => Trees.Count + Tables.Count > 0;

    /// <summary>Verifies the room's own rules. Its structures are sound: their pages, keys and indexes were verified before.</summary>
    /// <param name="reader">The room in the database that is checked.</param>
    /// <param name="report">Given each finding, in words.</param>
    protected internal virtual void Check(RoomReader reader, Action<string> report) { }

    /// <summary>Verifies the room's own rules for one of its environments, whose pages and structures are sound.</summary>
    /// <param name="environment">The environment.</param>
    /// <param name="report">Given each finding, in words.</param>
    protected internal virtual void CheckEnvironment(StorageEnvironment environment, Action<string> report) { }

    internal void RequireOwn(string structure) => Invariant.Require(structure.StartsWith(Prefix, StringComparison.Ordinal));
}
