using System.Text;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Messages;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Etl.Transforming;

/// <summary>
/// Runs a transform over the changes of one batch, on the thread that made it. Disposed of before anything is waited for.
/// </summary>
internal sealed class TransformRunner : IDisposable
{
    private static readonly byte[] s_noDocument = "null"u8.ToArray();

    private readonly TransformScript _script;
    private readonly ScriptLimits _limits;
    private readonly TransformCall _call;
    private readonly DocumentsReader _reader;
    private ScriptContext? _puts;
    private ScriptContext? _deletions;
    private byte[] _body = [];

    public TransformRunner(TransformScript script, DocumentsReader reader, EventNaming naming, EtlLimits limits, bool allowsRoutingKeys)
    {
        _script = script;
        _reader = reader;
        _limits = new ScriptLimits { Time = limits.ScriptTime };
        _call = new TransformCall(reader, naming, allowsRoutingKeys);
    }

    /// <summary>What the last change was made into; valid until the next.</summary>
    public IReadOnlyList<OutboundMessage> Messages => _call.Messages;

    /// <summary>
    /// Runs the script on a change. Returns null, or why it failed for this change (there are no messages then).
    /// Throws <see cref="ScriptEngineBusyException"/>, <see cref="ScriptEngineMissingException"/>.
    /// </summary>
    public string? Run(in DocumentChange change, out ChangeOrigin origin)
    {
        origin = Origin(change) with { TraceParent = _reader.Trace(change.Etag)?.ToString() };
        if (change.IsTombstone)
            return RunDeletion(origin);
        _call.Begin(origin);
        return Call(ref _puts, _script.Puts, Copy(change.Document.Body));
    }

    /// <summary>As <see cref="Run"/>, of a deletion whose tombstone may be forgotten.</summary>
    public string? RunDeletion(ChangeOrigin origin)
    {
        _call.Begin(origin);
        if (_script.Deletions is { } deletions)
            return Call(ref _deletions, deletions, s_noDocument, TransformScript.DeletionArguments(origin.DocumentId, origin.Collection));
        foreach (string target in _script.LiteralTargets)
            _call.SendDeletion(target);
        return null;
    }

    public void Dispose()
    {
        _puts?.Dispose();
        _deletions?.Dispose();
    }

    private string? Call(ref ScriptContext? context, Script script, params ReadOnlySpan<ReadOnlyMemory<byte>> texts)
    {
        context ??= script.Rent();
        string? failure = null;
        try
        {
            context.TryCall(_limits, _call, out _, texts);
        }
        catch (ScriptRuntimeException e)
        {
            failure = e.Message;
        }
        catch (ScriptLimitException e)
        {
            failure = e.Message;
            // It may be used up.
            context.Dispose();
            context = null;
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

    public static ChangeOrigin Origin(in DocumentChange change)
    {
        if (change.IsTombstone)
            return new(Text(change.Tombstone.Id), Text(change.Tombstone.Collection), Text(change.Tombstone.ChangeVector), change.Etag, IsDeletion: true)
            {
                LastModifiedTicks = change.Tombstone.LastModifiedTicks,
            };
        return new(Text(change.Document.Id), Text(change.Document.Collection), Text(change.Document.ChangeVector), change.Etag, IsDeletion: false)
        {
            LastModifiedTicks = change.Document.LastModifiedTicks,
        };
    }

    private static string Text(ReadOnlySpan<byte> utf8) => Encoding.UTF8.GetString(utf8);
}
