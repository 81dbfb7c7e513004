using System.Buffers;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>
/// One caller's append on its way: waits for room, then for its turn in its stream, then is sent in one request or, when it is over the
/// limit of a request, in several, one after another. Its state is changed under the lock of <see cref="JoinedAppends"/> only.
/// </summary>
internal sealed class AppendCall
{
    /// <summary>Memory for the bodies of small groups: below the size from which the collector treats arrays as large.</summary>
    private const int SharedBytes = 64 << 10;

    private readonly List<ReadOnlyMemory<byte>[]> _parts = [];
    private readonly List<GroupResult> _results = [];
    private readonly TaskCompletionSource<GroupResult[]> _outcome = new();
    private readonly TaskCompletionSource _admitted = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long[] _sizes;
    private int _part;
    private bool _isAnswered;

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
        var part = new List<ReadOnlyMemory<byte>>(_sizes.Length);
        var body = new ArrayBufferWriter<byte>(Room(0));
        using var json = GroupBody.NewWriter(body);
        long size = 0;
        for (var i = 0; i < _sizes.Length; i++)
        {
            if (part.Count > 0 && size + _sizes[i] > maxRequestBytes)
            {
                _parts.Add([.. part]);
                part.Clear();
                size = 0;
            }
            if (body.FreeCapacity < Estimate(i))
                body = new ArrayBufferWriter<byte>(Room(i));
            json.Reset(body);
            var start = body.WrittenCount;
            GroupBody.Write(json, Append.Stream, Append.Groups[i]);
            part.Add(body.WrittenMemory[start..]);
            size += _sizes[i];
        }
        _parts.Add([.. part]);
    }

    /// <summary>Small groups share a piece of memory: each event that is persisted by itself is a group.</summary>
    private int Room(int first)
    {
        long room = Estimate(first);
        for (var i = first + 1; i < _sizes.Length && room + Estimate(i) <= SharedBytes; i++)
            room += Estimate(i);
        return (int)Math.Min(int.MaxValue / 2, room);
    }

    /// <summary>About the bytes of a group's body: its payloads in Base64, and the names of members. A body that has more grows.</summary>
    private long Estimate(int group) => (_sizes[group] * 4 / 3) + 64;

    /// <summary>
    /// Takes the results of the present part. True when another part is to be sent; otherwise <see cref="Complete"/> is due.
    /// </summary>
    public bool Take(ReadOnlySpan<GroupResult> results)
    {
        _results.AddRange(results);
        LastError = null;
        if (++_part < _parts.Count && _results.TrueForAll(static r => r.Outcome is AppendOutcome.Stored or AppendOutcome.TooLarge))
            return true;
        // What was refused refuses the rest of the append, which was not sent.
        while (_results.Count < Append.Groups.Count)
            _results.Add(_results.Find(static r => r.Outcome is not (AppendOutcome.Stored or AppendOutcome.TooLarge)));
        _isAnswered = true;
        return false;
    }

    /// <summary>All its results are here, or the one that refuses the rest.</summary>
    public bool IsAnswered => _isAnswered;

    /// <summary>Gives the caller its results. The caller goes on inside of this, unless it is not to hold up this thread.</summary>
    public void Complete(bool isInline)
    {
        if (isInline)
            _outcome.TrySetResult([.. _results]);
        else
            ThreadPool.UnsafeQueueUserWorkItem(static call => call.Complete(isInline: true), this, preferLocal: false);
    }

    /// <summary>Ends the call with an error, unless it has its answer; its caller goes on elsewhere.</summary>
    public void Fail(Exception error)
    {
        if (!_isAnswered)
            ThreadPool.UnsafeQueueUserWorkItem(
                static one => one.Call._outcome.TrySetException(one.Error),
                (Call: this, Error: error),
                preferLocal: false
            );
    }

    public void Leave() => _left.TrySetResult();
}
