using System.Buffers.Binary;
using Jackdaw.Documents.Layout;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Documents;

/// <summary>
/// The environment <c>System</c>: a row a database. Each change is durable when its method returns; the caller's thread runs the
/// steps. One caller at a time.
/// </summary>
internal sealed class Catalogue : IDisposable
{
    /// <summary>Of the catalogue itself; a database's documents have their own (<see cref="Schema.FormatVersion"/>).</summary>
    private const int FormatVersion = 1;

    private const string DatabasesTree = "databases";

    /// <summary>Changes between two syncs: what a recovery would have to replay.</summary>
    private const int ChangesPerSync = 64;

    private readonly IDisk _disk;
    private readonly StorageEnvironment _environment;
    private long _lastEtag;
    private int _changes;

    public Catalogue(IDisk disk, EnvironmentOptions options)
    {
        _disk = disk;
        _environment = StorageEnvironment.Open(disk, Options(options));
        try
        {
            ServerId = ReadServerId() ?? Begin();
        }
        catch
        {
            _environment.Dispose();
            throw;
        }
    }

    /// <summary>How the catalogue's own environment is opened: small, without a host.</summary>
    public static EnvironmentOptions Options(EnvironmentOptions options) =>
        options with
        {
            Name = "System",
            Host = null,
            JournalFileBytes = 1 << 20,
            MaxDataFileBytes = 1L << 32,
        };

    /// <summary>Made with the folder; changes only when the folder turns out to be a copy (<see cref="RenewServerId"/>).</summary>
    public Guid ServerId { get; private set; }

    public long LastEtag => Volatile.Read(ref _lastEtag);

    public List<DatabaseRow> Rows()
    {
        var rows = new List<DatabaseRow>();
        using var reader = _environment.BeginRead("catalogue");
        if (!reader.Catalog.TryOpenTree(DatabasesTree, out var tree))
            return rows;
        using var cursor = tree.OpenCursor();
        for (bool found = cursor.SeekFirst(); found; found = cursor.MoveNext())
            rows.Add(DatabaseRow.Read(cursor.Value));
        return rows;
    }

    /// <summary>Verifies all of it.</summary>
    public Storage.Checking.CheckReport Check() => _environment.Check([]);

    /// <summary>Stores the row and returns its record as stored. A new record gets the catalogue's next etag, which is above those that
    /// former databases of its name had; a stored one gets its own next etag, so that it does not tell of changes to others.</summary>
    public DatabaseRecord Store(DatabaseRow row)
    {
        var before = row.Record.Etag;
        var record = row.Record with { Etag = (before > 0 && before <= _lastEtag ? before : _lastEtag) + 1 };
        Change(writer =>
            writer.Catalog.OpenTree(DatabasesTree).Put(DatabaseRow.Key(record.Name), (row with { Record = record }).ToBytes())
        );
        return record;
    }

    public void Remove(string name) =>
        Change(writer => Invariant.Require(writer.Catalog.OpenTree(DatabasesTree).Delete(DatabaseRow.Key(name))));

    /// <summary>Gives a tree to read; does nothing where no change has made it yet.</summary>
    public void ReadTree(string name, Action<BTree> read)
    {
        using var reader = _environment.BeginRead("catalogue");
        if (reader.Catalog.TryOpenTree(name, out var tree))
            read(tree);
    }

    /// <summary>Refuses rows of another format. None are of any.</summary>
    public void RequireFormat(string what, byte[] key, int format) =>
        ReadTree(
            Schema.ValuesTree,
            values =>
            {
                if (values.TryGet(key, out var found))
                    CheckFormat($"the tree '{what}' in its catalogue", found, format);
            }
        );

    /// <summary>Gives the folder another server id, because it is a copy of a folder that another server has.</summary>
    public void RenewServerId()
    {
        var serverId = Guid.NewGuid();
        Change(writer => writer.Catalog.OpenTree(Schema.ValuesTree).Put("server-id"u8, serverId.ToByteArray()));
        ServerId = serverId;
    }

    public void Dispose()
    {
        _environment.CloseCleanly();
        _disk.Dispose();
    }

    /// <summary>One transaction, durable when this returns. It takes the next etag.</summary>
    public void Change(Action<WriteTransaction> change)
    {
        PendingCommit commit;
        using (var writer = _environment.BeginWrite())
        {
            change(writer);
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            BinaryPrimitives.WriteInt64LittleEndian(values.Reserve(Schema.LastEtagValue, sizeof(long), out _), _lastEtag + 1);
            commit = writer.Commit();
        }
        while (_environment.RunJournalStep()) { }
        if (!commit.IsDurable)
            throw new CommitOutcomeUnknownException(
                commit.TransactionId,
                _environment.Poison ?? new InvalidOperationException("The journal step did not run.")
            );
        Volatile.Write(ref _lastEtag, _lastEtag + 1);
        while (_environment.RunSpareStep()) { }
        if (++_changes % ChangesPerSync == 0)
            _environment.FlushAndSync();
    }

    /// <summary>Null in a catalogue that has just been made.</summary>
    private Guid? ReadServerId()
    {
        using var reader = _environment.BeginRead("catalogue");
        if (!reader.Catalog.TryOpenTree(Schema.ValuesTree, out var values) || !values.TryGet(Schema.FormatValue, out var format))
            return null;
        CheckFormat("its catalogue", format, FormatVersion);
        bool isComplete = values.TryGet(Schema.LastEtagValue, out var etag) & values.TryGet("server-id"u8, out var id);
        Invariant.Require(isComplete);
        _lastEtag = BinaryPrimitives.ReadInt64LittleEndian(etag);
        return new Guid(id);
    }

    private Guid Begin()
    {
        var serverId = Guid.NewGuid();
        Change(writer =>
        {
            var values = writer.Catalog.OpenTree(Schema.ValuesTree);
            BinaryPrimitives.WriteInt32LittleEndian(values.Reserve(Schema.FormatValue, sizeof(int), out _), FormatVersion);
            values.Put("server-id"u8, serverId.ToByteArray());
        });
        return serverId;
    }

    private void CheckFormat(string what, ReadOnlySpan<byte> format, int expected)
    {
        int version = BinaryPrimitives.ReadInt32LittleEndian(format);
        if (version == expected)
            return;
        throw new UnsupportedFormatException(_disk.Description, $"{what} has format {version}, and this server reads format {expected}.");
    }
}
