using System.Buffers.Binary;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Hosting;

/// <summary>The values that say what an environment is: format and database id.</summary>
internal static class DatabaseFormat
{
    private const int AncestorBytes = 24;

    /// <summary>The id of the database in it; null when it holds none. Throws <see cref="UnsupportedFormatException"/> for
    /// another format.</summary>
    public static Guid? ReadId(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("open database");
        if (!reader.Catalog.TryOpenTree(Schema.ValuesTree, out var values) || !values.TryGet(Schema.FormatValue, out var format))
            return null;
        int version = BinaryPrimitives.ReadInt32LittleEndian(format);
        if (version != Schema.FormatVersion)
            throw new UnsupportedFormatException(
                environment.Name,
                $"its documents have format {version}, and this server reads format {Schema.FormatVersion}."
            );
        if (!values.TryGet(Schema.DatabaseIdValue, out var id))
            throw new UnsupportedFormatException(environment.Name, "it names no database id.");
        return new Guid(id);
    }

    /// <summary>
    /// Checks them, or writes them (durably) into a new environment. Returns the id of the database in it: the one given, or that
    /// of a copy of that database which
    /// somebody has put in its place. Throws <see cref="UnsupportedFormatException"/> for another format or another database's environment.
    /// </summary>
    public static Guid Ensure(StorageEnvironment environment, Guid databaseId)
    {
        if (ReadId(environment) is { } id)
        {
            if (id != databaseId && ReadHistory(environment).All(ancestor => ancestor.DatabaseId != databaseId))
                throw new UnsupportedFormatException(environment.Name, "it is the folder of another database.");
            return id;
        }
        if (!environment.Options.MayCreate)
            throw new UnsupportedFormatException(environment.Name, "it holds no database.");
        using (var writer = environment.BeginWrite())
        {
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            BinaryPrimitives.WriteInt32LittleEndian(values.Reserve(Schema.FormatValue, sizeof(int), out _), Schema.FormatVersion);
            Invariant.Require(databaseId.TryWriteBytes(values.Reserve(Schema.DatabaseIdValue, 16, out _)));
            writer.Commit();
        }
        MakeDurable(environment);
        return databaseId;
    }

    /// <summary>What the database is a copy of, the nearest first.</summary>
    public static IReadOnlyList<DatabaseAncestor> ReadHistory(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("open database");
        if (!reader.Catalog.TryOpenTree(Schema.ValuesTree, out var values) || !values.TryGet(Schema.HistoryValue, out var history))
            return [];
        Invariant.Require(history.Length % AncestorBytes == 0);
        var ancestors = new List<DatabaseAncestor>();
        for (; history.Length > 0; history = history[..^AncestorBytes])
            ancestors.Add(
                new DatabaseAncestor(new Guid(history[^AncestorBytes..][..16]), BinaryPrimitives.ReadInt64LittleEndian(history[^8..]))
            );
        return ancestors;
    }

    /// <summary>
    /// Makes a copy a database of its own, durably: it gets an id, and remembers the one that it had with its last etag.
    /// Otherwise two databases would give one change vector to
    /// different documents. The environment runs no steps of its own. Throws <see cref="LimitExceededException"/> when the database has
    /// <see cref="Limits.MaxAncestors"/> ancestors: none can be forgotten, because change vectors of its documents name them.
    /// </summary>
    public static void Fork(StorageEnvironment environment, Guid newId)
    {
        Guid formerId = ReadId(environment) ?? throw new UnsupportedFormatException(environment.Name, "it holds no database.");
        using (var writer = environment.BeginWrite())
        {
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            long lastEtag = values.TryGet(Schema.LastEtagValue, out var etag) ? BinaryPrimitives.ReadInt64LittleEndian(etag) : 0;
            byte[] former = values.TryGet(Schema.HistoryValue, out var history) ? history.ToArray() : [];
            if (former.Length >= Limits.MaxAncestors * AncestorBytes)
                throw new LimitExceededException(
                    $"The number of ancestors that the database '{environment.Name}' would have",
                    Limits.MaxAncestors + 1,
                    Limits.MaxAncestors,
                    "Limits.MaxAncestors, fixed"
                );
            var grown = values.Reserve(Schema.HistoryValue, former.Length + AncestorBytes, out _);
            former.CopyTo(grown);
            Invariant.Require(formerId.TryWriteBytes(grown[former.Length..]));
            BinaryPrimitives.WriteInt64LittleEndian(grown[(former.Length + 16)..], lastEtag);
            Invariant.Require(newId.TryWriteBytes(values.Reserve(Schema.DatabaseIdValue, 16, out _)));
            writer.Commit();
        }
        MakeDurable(environment);
    }

    private static void MakeDurable(StorageEnvironment environment)
    {
        while (environment.RunJournalStep()) { }
        if (environment.Poison is { } cause)
            throw new EnvironmentPoisonedException(environment.Name, cause);
    }
}
