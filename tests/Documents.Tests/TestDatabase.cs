using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Watching;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Tests;

/// <summary>A database without threads: the test runs every step itself, in the order it likes.</summary>
public sealed class TestDatabase : IDisposable
{
    public static readonly Guid DatabaseId = new("00112233-4455-6677-8899-aabbccddeeff");

    private static readonly ChangeVectorHistory s_changeVectors = new("A", DatabaseId, []);

    private readonly IDisk _disk;
    private readonly bool _ownsDisk;
    private int _guids;

    public TestDatabase(
        Limits? limits = null,
        IDisk? disk = null,
        long maxTransactionBytes = 256L << 20,
        bool runsAnswers = true,
        bool ownsDisk = true,
        long recentEtags = 0
    )
    {
        _disk = disk ?? new MemoryDisk();
        _ownsDisk = ownsDisk;
        Storage = StorageEnvironment.Open(
            _disk,
            new EnvironmentOptions
            {
                Name = "test",
                JournalFileBytes = 4 << 20,
                MaxDataFileBytes = 1L << 30,
                MaxTransactionBytes = maxTransactionBytes,
                Time = Clock,
            }
        );
        DatabaseFormat.Ensure(Storage, DatabaseId);
        while (Storage.RunSpareStep()) { }
        Writer = new DocumentsWriter("A", DatabaseId, Clock, () => new Guid(++_guids, 0, 0, new byte[8]))
        {
            RecentEtags = recentEtags,
            Events = new EventsInTransaction(s_changeVectors),
        };
        Merger = new TransactionMerger(
            Storage,
            Writer,
            new MergerOptions
            {
                DatabaseName = "test",
                Limits = limits ?? Limits.Default,
                Clock = Clock,
                RunAnswers = item =>
                {
                    if (runsAnswers)
                        item.Execute();
                    else
                        HeldAnswers.Add(item);
                },
            },
            () => Wakes++,
            Watchers
        );
        Watchers.Watch(null, () => Changes++);
    }

    public ManualClock Clock { get; } = new();

    public StorageEnvironment Storage { get; }

    internal DocumentsWriter Writer { get; }

    internal ChangeWatchers Watchers { get; } = new();

    internal TransactionMerger Merger { get; }

    public List<IThreadPoolWorkItem> HeldAnswers { get; } = [];

    public int Wakes { get; private set; }

    public int Changes { get; private set; }

    /// <summary>Runs the merger's and the journal's steps until nothing is left to do.</summary>
    public void RunAll()
    {
        while (true)
        {
            var step = Merger.RunStep();
            bool wrote = Storage.RunJournalStep();
            if (step == MergerStep.Idle && !wrote)
                return;
        }
    }

    /// <summary>Submits and runs to the end; throws what the operation was answered with.</summary>
    public void Do(MergedOperation operation)
    {
        var task = Merger.Submit(operation).AsTask();
        RunAll();
        task.GetAwaiter().GetResult();
    }

    /// <summary>Submits, for what is thrown at once.</summary>
    public void SubmitOnly(MergedOperation operation) => Merger.Submit(operation).AsTask();

    public static BatchOperation Put(string? id, string json, string? expected = null)
    {
        var batch = BatchOperation.Rent();
        AddPut(batch, id, json, expected);
        return batch;
    }

    public static PutCommand AddPut(BatchOperation batch, string? id, string json, string? expected = null)
    {
        var put = batch.AddPut();
        put.SetId(id);
        put.SetExpectedChangeVector(expected);
        put.SetDocument(Encoding.UTF8.GetBytes(json), Limits.Default);
        return put;
    }

    public static BatchOperation Delete(string id, string? expected = null, bool prefix = false)
    {
        var batch = BatchOperation.Rent();
        var delete = batch.AddDelete();
        delete.SetId(id);
        delete.IdPrefixed = prefix;
        delete.SetExpectedChangeVector(expected);
        return batch;
    }

    public DocumentsReader Read() =>
        new(Storage.BeginRead("test"), null, present: reader => new EventDocuments(reader.Of(EventsRoom.Instance), s_changeVectors));

    /// <summary>The document as it goes over the wire; null when there is none.</summary>
    public string? Get(string id)
    {
        using var reader = Read();
        return reader.TryGet(id, out var document) ? Text(document) : null;
    }

    public static string Text(in Document document)
    {
        var output = new System.Buffers.ArrayBufferWriter<byte>();
        DocumentJson.Write(document, output);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    /// <summary>Every document and tombstone in etag order, in words: two databases are alike when these are equal.</summary>
    public string Dump()
    {
        var dump = new StringBuilder();
        using var reader = Read();
        var cursor = reader.Changes(0);
        while (cursor.MoveNext())
        {
            var change = cursor.Current;
            if (change.IsTombstone)
                dump.Append(change.Etag).Append(" - ").AppendLine(Encoding.UTF8.GetString(change.Tombstone.Id));
            else
                dump.Append(change.Etag).Append(" + ").AppendLine(Text(change.Document));
        }
        foreach (var collection in reader.Collections())
            dump.AppendLine(collection.ToString());
        foreach (var identity in reader.Identities())
            dump.AppendLine(identity.ToString());
        return dump.Append(reader.LastEtag).ToString();
    }

    public void Dispose()
    {
        Merger.Abandon();
        Storage.Dispose();
        if (_ownsDisk)
            _disk.Dispose();
    }
}
