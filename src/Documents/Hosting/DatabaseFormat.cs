using System.Buffers.Binary;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Hosting;

/// <summary>The values that say what an environment is: format and database id.</summary>
internal static class DatabaseFormat
{
    /// <summary>The id of the database in it; null when it holds none. Throws <see cref="UnsupportedFormatException"/> for another format.</summary>
    public static Guid? ReadId(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("open database");
        if (!reader.Catalog.TryOpenTree(Schema.ValuesTree, out var values) || !values.TryGet(Schema.FormatValue, out var format))
            return null;
        int version = BinaryPrimitives.ReadInt32LittleEndian(format);
        if (version != Schema.FormatVersion)
            throw new UnsupportedFormatException(environment.Name, $"its documents have format {version}, and this server reads format {Schema.FormatVersion}.");
        if (!values.TryGet(Schema.DatabaseIdValue, out var id))
            throw new UnsupportedFormatException(environment.Name, "it names no database id.");
        return new Guid(id);
    }

    /// <summary>
    /// Checks them, or writes them (durably) into a new environment. Throws <see cref="UnsupportedFormatException"/> for another format or another database's
    /// environment.
    /// </summary>
    public static void Ensure(StorageEnvironment environment, Guid databaseId)
    {
        if (ReadId(environment) is { } id)
        {
            if (id != databaseId)
                throw new UnsupportedFormatException(environment.Name, "it is the folder of another database.");
            return;
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
        while (environment.RunJournalStep()) { }
        if (environment.Poison is { } cause)
            throw new EnvironmentPoisonedException(environment.Name, cause);
    }
}
