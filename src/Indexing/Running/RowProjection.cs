using System.Buffers;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Patching;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Scripting;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// Writes what a query's projection makes of documents. Of one thread. A script's context is rented for a moment and given back with
/// <see cref="End"/>.
/// </summary>
internal sealed class RowProjection
{
    private static readonly ScriptEnvironment s_environment = new(
        "projection",
        DocumentsScript.Before(ScriptResource.Read(typeof(RowProjection).Assembly, "projection.js")),
        new ScriptFunction("load", Load)
    )
    {
        HasOptionalReads = true,
    };

    private readonly QueryProjection? _fields;
    private readonly ScriptPlan? _plan;
    private readonly Script? _script;
    private readonly ArrayBufferWriter<byte> _document = new();
    private readonly ArrayBufferWriter<byte> _loaded = new();
    private ScriptContext? _context;
    private QueryMoment? _moment;

    /// <exception cref="QueryScriptException">The script does not compile.</exception>
    public RowProjection(QueryPlan plan, ScriptEngine? scripts)
    {
        _fields = plan.Projection;
        _plan = plan.Script;
        try
        {
            _script = _plan is null ? null : scripts!.Compile(s_environment, _plan.Source, [.. _plan.Parameters]);
        }
        catch (ScriptSyntaxException malformed)
        {
            throw new QueryScriptException($"The query's JavaScript does not compile: {malformed.Message}", malformed);
        }
    }

    /// <summary>There is something to project.</summary>
    public bool IsNeeded => _fields is not null || _plan is not null;

    public void Begin(QueryMoment moment) => _moment = moment;

    public void End()
    {
        _moment = null;
        _context?.Dispose();
        _context = null;
    }

    /// <summary>Writes the projected object with its metadata; false, and nothing written, for a document of which nothing is
    /// made.</summary>
    public bool TryWrite(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        if (_fields is not null)
        {
            _fields.Write(document, writer, output);
            writer.Flush();
            return true;
        }
        if (!TryCall(document, out var result))
            return false;
        output.Write(result[..^1]);
        output.Write(result.Length > 2 ? ",\"@metadata\":"u8 : "\"@metadata\":"u8);
        QueryProjection.WriteMetadata(document, writer);
        writer.Flush();
        output.Write("}"u8);
        return true;
    }

    /// <summary>Writes the projected object as <c>distinct</c> compares it: without metadata.</summary>
    public bool TryWriteMembers(in Document document, Utf8JsonWriter writer, IBufferWriter<byte> output)
    {
        if (_fields is not null)
        {
            _fields.WriteMembers(document, writer, output);
            writer.Flush();
            return true;
        }
        if (!TryCall(document, out var result))
            return false;
        output.Write(result);
        return true;
    }

    private bool TryCall(in Document document, out ReadOnlySpan<byte> result)
    {
        if (_context is { IsUsedUp: true })
        {
            _context.Dispose();
            _context = null;
        }
        _context ??= _script!.Rent();
        _document.ResetWrittenCount();
        DocumentJson.Write(document, _document);
        try
        {
            return _context.TryCall(ScriptLimits.Default, this, out result, _document.WrittenMemory, _plan!.Arguments, _plan.Scope);
        }
        catch (ScriptException failure)
        {
            throw new QueryScriptException(
                $"The projection failed for the document '{Encoding.UTF8.GetString(document.Id)}': {failure.Message}",
                failure
            );
        }
    }

    private static void Load(ref ScriptInvocation call)
    {
        var self = (RowProjection)call.State!;
        if (!self._moment!.Documents.TryGet(call.Utf8(0), out var document))
        {
            call.ReturnNull();
            return;
        }
        self._loaded.ResetWrittenCount();
        DocumentJson.Write(document, self._loaded);
        call.ReturnJson(self._loaded.WrittenSpan);
    }
}
