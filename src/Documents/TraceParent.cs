using System.Diagnostics;
using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>Whose request wrote: the <c>traceparent</c> of W3C Trace Context, as it is stored. Layout: docs/documents-format.md,
/// "traces".</summary>
public readonly struct TraceParent
{
    internal const int Bytes = 26;
    private const byte Version = 1;
    private const int TraceIdBytes = 16;
    private const int SpanIdBytes = 8;

    private readonly ActivityContext _context;

    private TraceParent(ActivityContext context) => _context = context;

    /// <summary>False for what is no header of version 00, or is all zeros.</summary>
    public static bool TryParse(string? header, out TraceParent trace)
    {
        bool isOne = ActivityContext.TryParse(header, null, out var context);
        trace = new TraceParent(context);
        return isOne;
    }

    /// <summary>The header.</summary>
    public override string ToString() =>
        $"00-{_context.TraceId}-{_context.SpanId}-{(_context.TraceFlags == ActivityTraceFlags.Recorded ? "01" : "00")}";

    internal void Write(Span<byte> value)
    {
        Invariant.Require(value.Length == Bytes);
        value[0] = Version;
        value[1] = (byte)_context.TraceFlags;
        _context.TraceId.CopyTo(value.Slice(2, TraceIdBytes));
        _context.SpanId.CopyTo(value.Slice(2 + TraceIdBytes, SpanIdBytes));
    }

    internal static TraceParent Read(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length == Bytes && value[0] == Version);
        var traceId = ActivityTraceId.CreateFromBytes(value.Slice(2, TraceIdBytes));
        var spanId = ActivitySpanId.CreateFromBytes(value.Slice(2 + TraceIdBytes, SpanIdBytes));
        return new TraceParent(new ActivityContext(traceId, spanId, (ActivityTraceFlags)value[1]));
    }
}
