using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>A database on a disk that a test can fail, hosted on threads that it shares with others.</summary>
internal sealed class HostedDatabase : IAsyncDisposable
{
    private bool _isClosed;

    public HostedDatabase(
        StepThreads threads,
        string name,
        EnvironmentOptions? storage = null,
        TimeProvider? clock = null,
        TimeSpan? cleaning = null
    )
    {
        Consumers = new ConsumerPositions(TimeProvider.System);
        Host = new DatabaseHost(
            Guid.NewGuid(),
            Disk,
            new HostOptions
            {
                Merger = new MergerOptions { DatabaseName = name, Clock = clock ?? TimeProvider.System },
                Storage = storage ?? new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
                Threads = threads,
                Clock = clock ?? TimeProvider.System,
                TombstoneCleaningInterval = cleaning ?? TimeSpan.FromMinutes(5),
            },
            Consumers
        );
    }

    public FaultyDisk Disk { get; } = new();

    public ConsumerPositions Consumers { get; }

    public DatabaseHost Host { get; }

    /// <summary>Writes a document and waits until it is durable.</summary>
    public Task PutAsync(string id, string json = "{}") => SubmitAsync(TestDatabase.Put(id, json));

    public Task SubmitAsync(MergedOperation operation) => Host.Merger.Submit(operation).AsTask().WaitAsync(Eventually.Patience);

    public bool Has(string id)
    {
        using var reader = new DocumentsReader(Host.Storage.BeginRead("test"), null);
        return reader.TryGet(id, out _);
    }

    public async Task CloseAsync()
    {
        if (_isClosed)
            return;
        _isClosed = true;
        Host.BeginClose(new DatabaseDisabledException("test"));
        await Task.Run(Host.EndClose).WaitAsync(Eventually.Patience);
    }

    public async ValueTask DisposeAsync() => await CloseAsync();
}
