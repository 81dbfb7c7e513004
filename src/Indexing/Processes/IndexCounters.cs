namespace Jackdaw.Indexing.Processes;

/// <summary>What an index has done since its database was opened. Thread-safe.</summary>
internal sealed class IndexCounters
{
    private readonly Lock _lock = new();
    private readonly Queue<IndexBatchRecord> _batches = new();
    private long _sampled;
    private long _sampledFailures;

    public long Attempts { get; private set; }

    public long Failures { get; private set; }

    public long Deletions { get; private set; }

    public long Committed { get; private set; }

    /// <summary>Bytes that the batch takes that is being made.</summary>
    public long BatchBytes
    {
        get => Interlocked.Read(ref field);
        set => Interlocked.Exchange(ref field, value);
    }

    /// <summary>Documents mapped a second, over the batches that are kept.</summary>
    public double MappedPerSecond
    {
        get
        {
            lock (_lock)
            {
                double seconds = _batches.Sum(batch => (batch.Mapping + batch.Applying).TotalSeconds);
                return seconds > 0 ? _batches.Sum(batch => (double)batch.Documents) / seconds : 0;
            }
        }
    }

    public IReadOnlyList<IndexBatchRecord> Batches()
    {
        lock (_lock)
            return [.. _batches];
    }

    /// <summary>A batch was committed. Returns whether too many documents have failed.</summary>
    public bool Add(IndexBatchRecord batch)
    {
        lock (_lock)
        {
            Attempts += batch.Documents;
            Failures += batch.Failures;
            Deletions += batch.Deletions;
            _batches.Enqueue(batch with { Number = ++Committed });
            if (_batches.Count > IndexingLimits.MaxBatchRecords)
                _batches.Dequeue();
            _sampled += batch.Documents;
            _sampledFailures += batch.Failures;
            return _sampled >= IndexingLimits.FailureSample && _sampledFailures * 100 > _sampled * IndexingLimits.MaxFailuresPercent;
        }
    }

    /// <summary>The share of failures is counted anew.</summary>
    public void ForgetFailures()
    {
        lock (_lock)
            _sampled = _sampledFailures = 0;
    }

    /// <summary>How many documents have failed, in words.</summary>
    public string DescribeFailures()
    {
        lock (_lock)
            return $"{_sampledFailures} of {_sampled} documents failed; the limit is {IndexingLimits.MaxFailuresPercent}%.";
    }
}
