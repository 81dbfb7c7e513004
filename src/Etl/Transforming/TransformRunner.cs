using System.Diagnostics;
using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Messages;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Transforming;

/// <summary>
/// Runs a transform over the changes of one batch, on the thread that made it. Disposed of before anything is waited for.
/// </summary>
internal sealed class TransformRunner : IDisposable
{
    private readonly TransformScript _script;
    private readonly ScriptLimits _limits;
    private readonly TransformCall _call;
    private DocumentsReader? _reader;
    private readonly SharedCall? _shared;
    private ScriptContext? _puts;
    private ScriptContext? _deletions;
    private byte[] _body = [];
    private string _collection = "";

    /// <param name="script">Of the transform.</param>
    /// <param name="reader">Where the changes are; null: <see cref="ReadFrom"/> tells.</param>
    /// <param name="naming">Of the events.</param>
    /// <param name="limits">Of the scripts.</param>
    /// <param name="allowsRoutingKeys">The sink knows them.</param>
    /// <param name="shared">Where documents wait for a call of the engine that they share; null: each has its own.</param>
    public TransformRunner(
        TransformScript script,
        DocumentsReader? reader,
        EventNaming naming,
        EtlLimits limits,
        bool allowsRoutingKeys,
        SharedCall? shared = null
    )
    {
        _script = script;
        _reader = reader;
        _limits = new ScriptLimits { Time = limits.ScriptTime };
        _call = new TransformCall(naming, allowsRoutingKeys) { Reader = reader };
        _shared = shared;
    }

    /// <summary>The script has a function for deletions.</summary>
    public bool RunsOnDeletions => _script.Deletions is not null;

    /// <summary>What the last change was made into; valid until the next.</summary>
    public IReadOnlyList<OutboundMessage> Messages => _call.Messages;

    private DocumentsReader Reader
    {
        get
        {
            Invariant.Require(_reader is not null);
            return _reader;
        }
    }

    /// <summary>The changes that come are read there.</summary>
    public void ReadFrom(DocumentsReader reader) => _call.Reader = _reader = reader;

    /// <summary>
    /// Rents what a run on a document, or on a deletion, needs of the engine, which may take as long as one waits for a machine.
    /// Throws <see cref="ScriptEngineBusyException"/>.
    /// </summary>
    public void Prepare(bool forDeletion)
    {
        if (!forDeletion)
            Rented(ref _puts, _script.Puts);
        else if (_script.Deletions is { } deletions)
            Rented(ref _deletions, deletions);
    }

    /// <summary>A run does not have to wait for the engine (<see cref="Prepare"/>).</summary>
    public bool IsPrepared(bool forDeletion) =>
        forDeletion ? _script.Deletions is null || _deletions is { IsUsedUp: false } : _puts is { IsUsedUp: false };

    /// <summary>
    /// Runs the script on a change. Returns null, or why it failed for this change (there are no messages then).
    /// Throws <see cref="ScriptEngineBusyException"/>, <see cref="ScriptEngineMissingException"/>.
    /// </summary>
    public string? Run(in DocumentChange change, out ChangeOrigin origin)
    {
        origin = Origin(change, Reader.Trace(change.Etag)?.ToString());
        return change.IsTombstone ? RunDeletion(origin) : RunOn(origin, change.Document.Body);
    }

    /// <summary>Has a document wait for a call of the engine that it shares with others; the outcomes come in the order of adding
    /// (<see cref="RunNext"/>).</summary>
    public void Add(in DocumentChange change)
    {
        Invariant.Require(_shared is not null && !change.IsTombstone);
        _shared.Add(Origin(change, Reader.Trace(change.Etag)?.ToString()), change.Document.Id, change.Document.Body);
    }

    /// <summary>
    /// The outcome of the next change that waits, as <see cref="Run"/> would give it: the script is run on all that wait, unless
    /// that was done. When it fails for one, or
    /// all together meet a limit, they are run again by themselves: a script only reads, so that nobody else can tell.
    /// </summary>
    public string? RunNext(out ChangeOrigin origin)
    {
        Invariant.Require(_shared is not null);
        origin = _shared.Next;
        if (_shared.IsNextOpen && _shared.Count > 1)
            RunTogether(_shared);
        string? failure = null;
        bool isTold = _shared.IsNextTold;
        if (!_shared.TryMake(_call))
        {
            Invariant.Require(Reader.TryGetChanged(origin.DocumentId, out var document) && document.Etag == origin.Etag);
            long began = Stopwatch.GetTimestamp();
            failure = RunOn(origin, document.Body);
            if (isTold)
                _shared.Size.RanInVain();
            else
                _shared.Size.Ran(1, Stopwatch.GetElapsedTime(began));
        }
        _shared.MoveNext();
        return failure;
    }

    /// <summary>As <see cref="Run"/>, of a deletion whose tombstone may be forgotten.</summary>
    public string? RunDeletion(ChangeOrigin origin)
    {
        _call.Begin(origin);
        if (_script.Deletions is { } deletions)
            return Call(ref _deletions, deletions, TransformScript.DeletionArguments(origin.DocumentId, origin.Collection));
        foreach (string target in _script.LiteralTargets)
            _call.SendDeletion(target);
        return null;
    }

    public void Dispose()
    {
        _shared?.Clear();
        _puts?.Dispose();
        _deletions?.Dispose();
    }

    private string? RunOn(ChangeOrigin origin, ReadOnlySpan<byte> body)
    {
        _call.Begin(origin);
        return Call(ref _puts, _script.Puts, Copy(body));
    }

    private void RunTogether(SharedCall shared)
    {
        _call.BeginShared();
        try
        {
            shared.Run(Rented(ref _puts, _script.Puts), _limits, _call);
        }
        catch (ScriptException e) when (e is ScriptLimitException or ScriptRuntimeException)
        {
            // Which document it was is not known.
            shared.Separate();
        }
    }

    /// <summary>A context that takes a call; the former may be used up.</summary>
    private static ScriptContext Rented(ref ScriptContext? context, Script script)
    {
        if (context is { IsUsedUp: true })
        {
            context.Dispose();
            context = null;
        }
        return context ??= script.Rent();
    }

    private string? Call(ref ScriptContext? context, Script script, params ReadOnlySpan<ReadOnlyMemory<byte>> texts)
    {
        string? failure = null;
        try
        {
            Rented(ref context, script).TryCall(_limits, _call, out _, texts);
        }
        catch (ScriptRuntimeException e)
        {
            failure = e.Message;
        }
        catch (ScriptLimitException e)
        {
            failure = e.Message;
        }
        failure = _call.Refusal ?? failure;
        if (failure is not null)
            _call.Messages.Clear();
        return failure;
    }

    private ReadOnlyMemory<byte> Copy(ReadOnlySpan<byte> body)
    {
        if (_body.Length < body.Length)
            _body = new byte[Math.Max(4096, (int)Math.Min(Array.MaxLength, body.Length * 3L / 2))];
        body.CopyTo(_body);
        return _body.AsMemory(0, body.Length);
    }

    public static ChangeOrigin OriginOf(in DocumentChange change) =>
        change.IsTombstone
            ? new(
                Text(change.Tombstone.Id),
                Text(change.Tombstone.Collection),
                Text(change.Tombstone.ChangeVector),
                change.Etag,
                IsDeletion: true
            )
            {
                LastModifiedTicks = change.Tombstone.LastModifiedTicks,
                StreamId = StreamOf(change.Tombstone.StreamId),
            }
            : OriginOf(change.Document, Text(change.Document.Collection), null);

    private ChangeOrigin Origin(in DocumentChange change, string? trace)
    {
        if (change.IsTombstone)
            return OriginOf(change) with { TraceParent = trace };
        var document = change.Document;
        // Nearly always the one before's.
        if (!Ascii.Equals(document.Collection, _collection))
            _collection = Text(document.Collection);
        return OriginOf(document, _collection, trace);
    }

    private static ChangeOrigin OriginOf(in Document document, string collection, string? trace) =>
        new(Text(document.Id), collection, Text(document.ChangeVector), document.Etag, IsDeletion: false)
        {
            LastModifiedTicks = document.LastModifiedTicks,
            TraceParent = trace,
            StreamId = StreamOf(document.StreamId),
        };

    private static string? StreamOf(ReadOnlySpan<byte> streamId) => streamId.IsEmpty ? null : Text(streamId);

    private static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);
}
