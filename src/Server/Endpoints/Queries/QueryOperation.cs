using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Patching;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Running;
using Jackdaw.Server.Endpoints.Operations;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>
/// Patches or deletes what a query finds, in transactions of at most 1,000 documents. One that asks an index waits until that has
/// caught up. It goes over the documents as they were when it began: one that is written meanwhile, by itself or by others, is not
/// visited again. Others' writes go first. Until it has begun to read, an index that is deleted or replaced gives way to another one;
/// from then on it goes on over the index that it began with.
/// </summary>
internal sealed class QueryOperation
{
    private static readonly TimeSpan FullQueuePause = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongestRest = TimeSpan.FromMilliseconds(100);

    private readonly Database _database;
    private readonly QueryPlan _plan;
    private readonly Patch? _patch;
    private readonly TrackedOperation _operation;
    private readonly long? _mostPerSecond;
    private readonly long _began = Stopwatch.GetTimestamp();
    private readonly List<byte[]> _lowerIds = new(Limits.DocumentsPerQueryTransaction);
    private readonly StaleAnswers _staleAnswers;
    private ChosenIndex? _chosen;
    private QueryReading? _reading;
    private bool _isCounted;
    private long _lastEtag = -1;
    private bool _isAtEnd;
    private QueryProgress _progress;

    /// <param name="database">Where.</param>
    /// <param name="plan">Which documents.</param>
    /// <param name="query">Its text, for the result.</param>
    /// <param name="patch">What to do with them; null deletes them.</param>
    /// <param name="operation">Where progress is told.</param>
    /// <param name="mostPerSecond">Documents a second at most; null for as fast as it goes.</param>
    /// <param name="staleAnswers">What to do while the index has not caught up.</param>
    public QueryOperation(
        Database database,
        QueryPlan plan,
        string query,
        Patch? patch,
        TrackedOperation operation,
        long? mostPerSecond,
        StaleAnswers staleAnswers = default
    )
    {
        _staleAnswers = staleAnswers;
        _database = database;
        _plan = plan;
        _patch = patch;
        _operation = operation;
        _mostPerSecond = mostPerSecond;
        _progress = new QueryProgress(query, 0, 0);
    }

    /// <summary>Runs to the end. What was done before an error or a stop stays done.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        using var chosen = new ChosenIndex(
            _database,
            _plan,
            (choice, cancellation) => _staleAnswers.WaitAsync(_database, choice, cancellation)
        );
        _chosen = chosen;
        await chosen.ChooseAsync(stop);
        using var reading = new QueryReading(
            chosen.Plan with
            {
                Projection = null,
                Script = null,
                IsDistinct = false,
            },
            scripts: null,
            stop
        );
        _reading = reading;
        while (!_isAtEnd)
        {
            stop.ThrowIfCancellationRequested();
            await ReadNextAsync(stop);
            await Task.Yield();
            int done = 0;
            while (done < _lowerIds.Count)
            {
                stop.ThrowIfCancellationRequested();
                long started = Stopwatch.GetTimestamp();
                done += _patch is null ? await DeleteAsync(stop) : await PatchAsync(done, stop);
                await RestAsync(Stopwatch.GetElapsedTime(started), stop);
            }
        }
    }

    /// <summary>The next documents, by their ids, as far as one reader gets: none is held while they are changed, and none lasts.</summary>
    private async Task ReadNextAsync(CancellationToken stop)
    {
        _lowerIds.Clear();
        using var moment = await _chosen!.OpenAsync(_patch is null ? "DELETE /queries" : "PATCH /queries", stop);
        try
        {
            if (!_reading!.Begin(moment))
                return;
            if (_lastEtag < 0)
                _lastEtag = moment.Documents.LastEtag;
            ReadNext(_reading);
        }
        finally
        {
            _reading!.End();
            if (!_isAtEnd)
                _chosen!.Keep(moment);
        }
    }

    private void ReadNext(QueryReading reading)
    {
        if (!_isCounted)
            Report(_progress with { Total = Math.Min(Math.Max(0, reading.Total!.Value - _plan.Skip), _plan.Take ?? long.MaxValue) });
        _isCounted = true;
        while (_lowerIds.Count < Limits.DocumentsPerQueryTransaction && !_isAtEnd)
        {
            if (!reading.MoveNext(out var document))
            {
                _isAtEnd = reading.IsAtEnd;
                break;
            }
            if (document.Etag <= _lastEtag)
                _lowerIds.Add(document.LowerId.ToArray());
            else
                _isAtEnd = _plan.Index is null && _plan.Order == QueryOrder.EtagAscending && _plan.Source != QuerySourceKind.Ids;
        }
    }

    private async Task<int> PatchAsync(int first, CancellationToken stop)
    {
        var patching = new PatchDocumentsOperation(_patch!, _lowerIds, first, _database.Limits) { IsBackground = true };
        await SubmitAsync(patching, stop);
        Report(_progress with { DocumentsProcessed = _progress.DocumentsProcessed + patching.Patched });
        return patching.Done;
    }

    private async Task<int> DeleteAsync(CancellationToken stop)
    {
        var batch = BatchOperation.Rent();
        try
        {
            batch.IsBackground = true;
            foreach (var lowerId in _lowerIds)
                batch.AddDelete().SetId(lowerId);
            await SubmitAsync(batch, stop);
            Report(
                _progress with
                {
                    DocumentsProcessed =
                        _progress.DocumentsProcessed + batch.Commands.Sum(command => ((DeleteCommand)command).DeletedCount),
                }
            );
            return _lowerIds.Count;
        }
        finally
        {
            batch.Return();
        }
    }

    private async Task SubmitAsync(MergedOperation operation, CancellationToken stop)
    {
        while (true)
        {
            try
            {
                await _database.SubmitAsync(operation);
                return;
            }
            catch (MergerQueueFullException)
            {
                // Its queue is full of others' writes: this operation is the one that can wait.
                await Task.Delay(FullQueuePause, stop);
            }
        }
    }

    /// <summary>When others write, or a rate is asked for, the merger is left alone for a while.</summary>
    private async Task RestAsync(TimeSpan worked, CancellationToken stop)
    {
        if (_database.HasRecentForegroundWrites)
            await Task.Delay(worked < LongestRest ? worked : LongestRest, stop);
        if (_mostPerSecond is not { } most)
            return;
        var due = TimeSpan.FromSeconds(_progress.DocumentsProcessed / (double)most) - Stopwatch.GetElapsedTime(_began);
        if (due > TimeSpan.Zero)
            await Task.Delay(due, stop);
    }

    private void Report(QueryProgress progress)
    {
        _progress = progress;
        _operation.Report(progress);
    }
}
