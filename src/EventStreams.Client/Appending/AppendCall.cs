using System.Buffers;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>
/// One caller's append on its way: waits for room, then for its turn in its stream, then is sent in one request or, when it is over the
/// limit of a request, in several, one after another. Its state is changed under the lock of <see cref="JoinedAppends"/> only.
/// </summary>
internal sealed class AppendCall
{
    private readonly List<ReadOnlyMemory<byte>[]> _parts = [];
    private readonly List<GroupResult> _results = [];
    private readonly TaskCompletionSource<GroupResult[]> _outcome = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _admitted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long[] _sizes;
    private int _part;

    /// <param name="append">What is appended; verified.</param>
    /// <param name="sizes">The bytes of each group as the server counts them.</param>
    /// <param name="time">How long it is repeated.</param>
    public AppendCall(StreamAppend append, long[] sizes, CallTime time)
    {
        Append = append;
        Time = time;
        _sizes = sizes;
        SizeBytes = sizes.Sum();
        Events = append.Groups.Sum(group => group.Events.Count);
        // A caller that gave up looks at no error.
        _ = _outcome.Task.ContinueWith(
            static task => task.Exception,
            CancellationToken.None,
            TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default
        );
    }

    public StreamAppend Append { get; }

    public CallTime Time { get; }

    public long SizeBytes { get; }

    public int Events { get; }

    /// <summary>Ends with the results, or with the error that is no matter of time.</summary>
    public Task<GroupResult[]> Outcome => _outcome.Task;

    public Task Admitted => _admitted.Task;

    /// <summary>Ends when no request carries it any more, and none will.</summary>
    public Task Left => _left.Task;

    public bool IsAdmitted { get; set; }

    public bool IsEncoded { get; set; }

    /// <summary>A request that carries it is under way, or will be repeated.</summary>
    public JoinedRequest? Request { get; set; }

    /// <summary>A request with it has been sent at least once.</summary>
    public bool WasSent { get; set; }

    /// <summary>Its caller has gone, or must not have it repeated: it is not sent again.</summary>
    public bool IsAbandoned { get; set; }

    public bool HasLeft => _left.Task.IsCompleted;

    public Exception? LastError { get; set; }

    /// <summary>The groups to send now.</summary>
    public ReadOnlyMemory<byte>[] Part => _parts[_part];

    public void Admit()
    {
        IsAdmitted = true;
        _admitted.TrySetResult();
    }

    /// <summary>Makes the bodies, by the caller's thread.</summary>
    public void Encode(long maxRequestBytes)
    {
        var part = new List<ReadOnlyMemory<byte>>();
        long size = 0;
        for (var i = 0; i < _sizes.Length; i++)
        {
            if (part.Count > 0 && size + _sizes[i] > maxRequestBytes)
            {
                _parts.Add([.. part]);
                part.Clear();
                size = 0;
            }
            var body = new ArrayBufferWriter<byte>((int)Math.Min(int.MaxValue / 2, (_sizes[i] * 4 / 3) + 256));
            GroupBody.Write(body, Append.Stream, Append.Groups[i]);
            part.Add(body.WrittenMemory);
            size += _sizes[i];
        }
        _parts.Add([.. part]);
    }

    /// <summary>Takes the results of the present part. True when another part is to be sent.</summary>
    public bool Take(ReadOnlySpan<GroupResult> results)
    {
        _results.AddRange(results);
        LastError = null;
        if (++_part < _parts.Count && _results.TrueForAll(static r => r.Outcome is AppendOutcome.Stored or AppendOutcome.TooLarge))
            return true;
        // What was refused refuses the rest of the append, which was not sent.
        while (_results.Count < Append.Groups.Count)
            _results.Add(_results.Find(static r => r.Outcome is not (AppendOutcome.Stored or AppendOutcome.TooLarge)));
        _outcome.TrySetResult([.. _results]);
        return false;
    }

    public void Fail(Exception error) => _outcome.TrySetException(error);

    public void Leave() => _left.TrySetResult();
}
