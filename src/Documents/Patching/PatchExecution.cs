using System.Buffers;
using System.Diagnostics;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Writing;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;
using Jackdaw.Scripting.Json;

namespace Jackdaw.Documents.Patching;

/// <summary>
/// Patches being executed inside a merged transaction: runs scripts on documents, and is what their <c>load</c>, <c>put</c> and
/// <c>del</c> reach. They see the
/// transaction as it is, their own writes included.
/// </summary>
internal sealed class PatchExecution : IDisposable
{
    private readonly DocumentsWriter _writer;
    private readonly Limits _limits;
    private readonly ArrayBufferWriter<byte> _before = new();
    private readonly ArrayBufferWriter<byte> _merged = new();
    private readonly ArrayBufferWriter<byte> _loaded = new();
    private ScriptContext? _context;
    private Patch? _rentedFor;

    public PatchExecution(DocumentsWriter writer, Limits limits)
    {
        _writer = writer;
        _limits = limits;
    }

    /// <summary>What the scripts put out, in order.</summary>
    public List<string> Output { get; } = [];

    /// <summary>Giving a context back can mean freeing a heap: that takes the merger's time too.</summary>
    public void Dispose()
    {
        long began = Stopwatch.GetTimestamp();
        _context?.Dispose();
        _writer.PatchAllowance.CountTime(began);
    }

    /// <summary>Runs the patch on a document that is there. Null when the script did not change it, or deleted it (then it is
    /// gone).</summary>
    /// <exception cref="PatchException">The script failed.</exception>
    /// <exception cref="OperationException">What it wrote is refused.</exception>
    public PutCommand? Run(Patch patch, ReadOnlySpan<byte> lowerId)
    {
        Storage.Invariant.Require(_writer.TryGet(lowerId, out var row, out long etag));
        _before.ResetWrittenCount();
        DocumentJson.Write(row.ToDocument(etag), _before);
        byte[] id = row.Id.ToArray();
        if (!CallAndMerge(patch, id) || !_writer.TryGet(lowerId, out _, out _))
            return null;
        return Put(id, _merged.WrittenMemory);
    }

    /// <summary>Runs the patch on an empty document, and stores what it makes of it.</summary>
    public PutCommand RunOnNothing(Patch patch, ReadOnlySpan<byte> id)
    {
        _before.ResetWrittenCount();
        _before.Write("{}"u8);
        return Put(id, CallAndMerge(patch, id.ToArray()) ? _merged.WrittenMemory : _before.WrittenMemory);
    }

    /// <summary>Stores a document.</summary>
    public PutCommand Put(ReadOnlySpan<byte> id, ReadOnlyMemory<byte> json)
    {
        var put = new PutCommand();
        put.SetId(id);
        put.SetDocument(json, _limits);
        put.Execute(_writer);
        return put;
    }

    /// <summary>The document as it was before the last patch, to be kept for the answer. Throws <see cref="TooLargeException"/>.</summary>
    public byte[] KeepOriginal() => Keep(_before.WrittenSpan);

    /// <summary>The document as it goes over the wire, to be kept for the answer; null when there is none. Throws
    /// <see cref="TooLargeException"/>.</summary>
    public byte[]? KeepDocument(ReadOnlySpan<byte> lowerId)
    {
        if (!_writer.TryGet(lowerId, out var row, out long etag))
            return null;
        _loaded.ResetWrittenCount();
        DocumentJson.Write(row.ToDocument(etag), _loaded);
        return Keep(_loaded.WrittenSpan);
    }

    public void Load(ref ScriptInvocation call)
    {
        var lowerId = DocumentId.Lower(call.Utf8(0));
        _loaded.ResetWrittenCount();
        if (lowerId.AsSpan().StartsWith(CollectionNames.EventIds))
        {
            if (_writer.Events?.TryWrite(_writer.Transaction, lowerId, _loaded) == true)
                call.ReturnJson(_loaded.WrittenSpan);
            else
                call.ReturnNull();
            return;
        }
        if (lowerId is null || lowerId.Length > DocumentId.MaxLowerBytes || !_writer.TryGet(lowerId, out var row, out long etag))
        {
            call.ReturnNull();
            return;
        }
        DocumentJson.Write(row.ToDocument(etag), _loaded);
        call.ReturnJson(_loaded.WrittenSpan);
    }

    public void Put(ref ScriptInvocation call)
    {
        var put = new PutCommand();
        put.SetId(call.Text(0));
        put.SetExpectedChangeVector(call.IsNothing(2) ? null : call.Text(2));
        put.SetDocument(call.Utf8(1), _limits);
        put.Execute(_writer);
        call.Return(Encoding.UTF8.GetString(put.Id));
    }

    public void Delete(ref ScriptInvocation call)
    {
        var delete = new DeleteCommand();
        delete.SetId(call.Text(0));
        delete.SetExpectedChangeVector(call.IsNothing(1) ? null : call.Text(1));
        delete.Execute(_writer);
        call.Return(delete.DeletedCount > 0);
    }

    public void WriteOutput(string text)
    {
        _writer.PatchAllowance.CountOutput(text);
        Output.Add(JsonText.WithoutHalfPairs(text));
    }

    private byte[] Keep(ReadOnlySpan<byte> document)
    {
        _writer.PatchAllowance.CountResult(document.Length, _limits);
        return document.ToArray();
    }

    /// <summary>False when the script left the document as it was.</summary>
    private bool CallAndMerge(Patch patch, byte[] id)
    {
        var quoted = new ArrayBufferWriter<byte>(id.Length + 16);
        quoted.Write("\""u8);
        JsonEscape.Write(id, quoted);
        quoted.Write("\""u8);
        try
        {
            var context = ContextOf(patch);
            if (!context.TryCall(patch.ScriptLimits, this, out var result, _before.WrittenMemory, quoted.WrittenMemory, patch.Arguments))
                throw new InvalidDocumentException(
                    $"What the script made of '{ShownText.Of(Encoding.UTF8.GetString(id))}' is no JSON: its toJSON() gives nothing."
                );
            _merged.ResetWrittenCount();
            return UntouchedJson.Merge(_before.WrittenMemory, result.ToArray(), _merged);
        }
        catch (ScriptException failure)
        {
            throw id.Length == 0 ? new PatchException(failure) : new PatchException(Encoding.UTF8.GetString(id), failure);
        }
        catch (JsonException tooDeep)
        {
            throw new InvalidDocumentException(
                $"What the script made of '{ShownText.Of(Encoding.UTF8.GetString(id))}' cannot be stored: {tooDeep.Message}",
                tooDeep
            );
        }
    }

    private ScriptContext ContextOf(Patch patch)
    {
        if (_context is not null && _rentedFor == patch && !_context.IsUsedUp)
            return _context;
        _context?.Dispose();
        _context = null;
        _context = patch.Rent();
        _rentedFor = patch;
        return _context;
    }
}
