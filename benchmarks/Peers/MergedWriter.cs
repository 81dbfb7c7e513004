namespace Jackdaw.Bench.Peers;

/// <summary>
/// The least that a durable store does: one thread takes everything that waits, writes it as one direct write to a zero-filled
/// file, round and round, and answers all of it.
/// </summary>
internal sealed class MergedWriter : IDisposable
{
    private const long FileSize = 256L << 20;
    private const int LargestWrite = 1 << 20;
    private readonly DirectFile _file;
    private readonly AlignedBlock _block = new(LargestWrite, RawDevice.Block);
    private readonly Lock _lock = new();
    private readonly AutoResetEvent _arrived = new(false);
    private readonly Thread _thread;
    private List<Waiting> _waiting = [];
    private volatile bool _stopping;

    public MergedWriter(string path)
    {
        _file = new DirectFile(path);
        _block.Bytes.Clear();
        for (long offset = 0; offset < FileSize; offset += LargestWrite)
            _file.Write(_block.Bytes, offset);
        _thread = new Thread(WriteLoop) { Name = "merged writer", IsBackground = true };
        _thread.Start();
    }

    /// <summary>Completes, on the thread pool, when the bytes are on the disk. The bytes must stay as they are until then.</summary>
    public Task WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.Length > LargestWrite)
            throw new ArgumentException($"{bytes.Length} bytes are more than {LargestWrite}", nameof(bytes));
        var waiting = new Waiting(bytes, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        lock (_lock)
            _waiting.Add(waiting);
        _arrived.Set();
        return waiting.Done.Task;
    }

    public void Dispose()
    {
        _stopping = true;
        _arrived.Set();
        _thread.Join();
        _arrived.Dispose();
        _block.Dispose();
        _file.Dispose();
    }

    private void WriteLoop()
    {
        List<Waiting> batch = [];
        long offset = 0;
        while (!_stopping)
        {
            lock (_lock)
                (batch, _waiting) = (_waiting, batch);
            if (batch.Count == 0)
            {
                _arrived.WaitOne();
                continue;
            }
            for (int done = 0; done < batch.Count; )
                done = WriteSome(batch, done, ref offset);
            batch.Clear();
        }
    }

    // Writes as many as fit in one write, answers them, and gives the number of the next.
    private int WriteSome(List<Waiting> batch, int first, ref long offset)
    {
        int used = 0,
            next = first;
        for (; next < batch.Count && used + batch[next].Bytes.Length <= LargestWrite; next++)
        {
            batch[next].Bytes.Span.CopyTo(_block.Bytes[used..]);
            used += batch[next].Bytes.Length;
        }
        int size = (used + RawDevice.Block - 1) / RawDevice.Block * RawDevice.Block;
        if (offset + size > FileSize)
            offset = 0;
        _file.Write(_block.Bytes[..size], offset);
        offset += size;
        for (int i = first; i < next; i++)
            batch[i].Done.SetResult();
        return next;
    }

    private readonly record struct Waiting(ReadOnlyMemory<byte> Bytes, TaskCompletionSource Done);
}
