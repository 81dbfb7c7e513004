using System.Diagnostics;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Endpoints.Operations;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.BulkInsert;

/// <summary>
/// The documents of one bulk insert on their way to the merger: gathered to parts of about a quarter of a megabyte, a few of them
/// under way at once, so that
/// the disk does not wait for the network. While others write, the parts are smaller, one at a time, and the load rests after
/// each as long as it took: half the
/// time at least is theirs. Not reading on is what slows the client down.
/// </summary>
internal sealed class BulkInsertLoad : IAsyncDisposable
{
    /// <summary>
    /// Parts submitted and not yet durable, while nobody else writes: enough that the merger executes some while others are
    /// journaled and answered.
    /// </summary>
    private const int PartsUnderWay = 6;

    private const int CommandOverheadBytes = 4096;
    private static readonly TimeSpan FullQueuePause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(20);

    private readonly Database _database;
    private readonly TrackedOperation _operation;
    private readonly bool _skipsUnchanged;
    private readonly BulkInsertScanner _scanner;
    private readonly Queue<(BulkInsertPart Part, Task Done)> _underWay = new();
    private long _submittedAt;

    /// <param name="database">Where to.</param>
    /// <param name="operation">Where progress is told.</param>
    /// <param name="skipsUnchanged">Documents that are stored already with the same text are left as they are.</param>
    public BulkInsertLoad(Database database, TrackedOperation operation, bool skipsUnchanged = false)
    {
        _skipsUnchanged = skipsUnchanged;
        _database = database;
        _operation = operation;
        _scanner = new BulkInsertScanner((int)Math.Min(int.MaxValue, (long)database.Limits.MaxDocumentBytes + CommandOverheadBytes));
    }

    /// <summary>Whether the array has ended.</summary>
    public bool IsEnded => _scanner.IsEnded;

    /// <summary>Whether no whole document waits to be submitted and none is under way.</summary>
    public bool IsIdle => _scanner.ObjectCount == 0 && _underWay.Count == 0;

    private int PartBytes => _database.HasRecentForegroundWrites ? Limits.BulkInsertSharedOperationBytes : Limits.BulkInsertOperationBytes;

    /// <summary>Takes in all of the bytes.</summary>
    public async ValueTask FeedAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellation)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[Feed(bytes)..];
            if (_scanner.ObjectBytes >= PartBytes)
                await SubmitAsync(cancellation);
        }
    }

    /// <summary>Nothing more has arrived for a while: what is whole goes on its way, and what was under way is counted.</summary>
    public async ValueTask PauseAsync(CancellationToken cancellation)
    {
        if (_scanner.ObjectCount > 0)
            await SubmitAsync(cancellation);
        while (_underWay.Count > 0)
            await EndOldestAsync();
    }

    /// <summary>The body has ended: everything is durable when this returns.</summary>
    /// <exception cref="BadRequestException">The body ended before the array did. What was whole is stored.</exception>
    public async ValueTask FinishAsync(CancellationToken cancellation)
    {
        if (_scanner.ObjectCount > 0)
            await SubmitAsync(cancellation);
        while (_underWay.Count > 0)
            await EndOldestAsync();
        if (!_scanner.IsEnded)
            throw new BadRequestException(
                "The bulk insert's body ended before its array did. "
                    + $"{_operation.State.Progress.DocumentsProcessed:N0} documents were stored before that and stay."
            );
    }

    /// <summary>Waits for what is under way, whose memory must not be given back before; its outcome is counted, an error of its
    /// own is told only if none came before.</summary>
    public async ValueTask DisposeAsync()
    {
        while (_underWay.Count > 0)
        {
            try
            {
                await EndOldestAsync();
            }
            catch (Exception e) when (e is OperationException or DatabaseUnavailableException or Storage.Errors.StorageException)
            {
                // The load has ended with an error already; this part is simply not among those counted as stored.
            }
        }
        _scanner.Dispose();
    }

    private int Feed(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            return _scanner.Feed(bytes.Span, PartBytes);
        }
        catch (BadRequestException)
        {
            // What follows a command with an attachment is raw bytes: that the command is not supported says more than where they
            // broke the array.
            BulkInsertPart.Take(_scanner, _database.Limits, _skipsUnchanged).Dispose();
            throw;
        }
    }

    private async ValueTask SubmitAsync(CancellationToken cancellation)
    {
        if (_underWay.Count > 0 && _database.HasRecentForegroundWrites)
            await GiveWayAsync(cancellation);
        while (_underWay.Count >= PartsUnderWay || (_underWay.Count > 0 && _underWay.Peek().Done.IsCompleted))
            await EndOldestAsync();
        var part = BulkInsertPart.Take(_scanner, _database.Limits, _skipsUnchanged);
        part.Batch.IsBackground = true;
        if (part.Batch.Commands.Count == 0)
        {
            part.Dispose();
            return;
        }
        while (true)
        {
            try
            {
                _submittedAt = Stopwatch.GetTimestamp();
                _underWay.Enqueue((part, _database.SubmitAsync(part.Batch).AsTask()));
                return;
            }
            catch (MergerQueueFullException)
            {
                // Its queue is full of others' writes: this load is the one that can wait.
                try
                {
                    await Task.Delay(FullQueuePause, cancellation);
                }
                catch (OperationCanceledException)
                {
                    part.Dispose();
                    throw;
                }
            }
        }
    }

    /// <summary>Others write: what is under way ends first, and then the merger, the disk and the processors are theirs for as
    /// long as it took.</summary>
    private async ValueTask GiveWayAsync(CancellationToken cancellation)
    {
        while (_underWay.Count > 0)
            await EndOldestAsync();
        var rest = Stopwatch.GetElapsedTime(_submittedAt);
        await Task.Delay(rest < LongestRest ? rest : LongestRest, cancellation);
    }

    private async ValueTask EndOldestAsync()
    {
        var (part, done) = _underWay.Peek();
        try
        {
            await done;
            var progress = (BulkInsertProgress)_operation.State.Progress;
            var commands = part.Batch.Commands;
            _operation.Report(
                new BulkInsertProgress(
                    progress.DocumentsProcessed + commands.Count,
                    progress.BatchCount + 1,
                    Encoding.UTF8.GetString(((PutCommand)commands[^1]).Id)
                )
            );
        }
        finally
        {
            _underWay.Dequeue();
            part.Dispose();
        }
    }
}
