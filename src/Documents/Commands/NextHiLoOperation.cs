using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Documents.Commands;

/// <summary>
/// Hands out a range of ids for a tag: <c>Max+1 … Max+size</c> of the document <c>Raven/Hilo/&lt;tag&gt;</c>, whose Max is
/// raised. The size is 32 at first, doubles when
/// the last range went quickly, shrinks when it went slowly. Results are valid once it has been awaited.
/// </summary>
public sealed class NextHiLoOperation : MergedOperation
{
    /// <summary>A range used up within this time was too small.</summary>
    private static readonly TimeSpan s_quick = TimeSpan.FromSeconds(30);

    /// <summary>A range that lasted this long was too large.</summary>
    private static readonly TimeSpan s_slow = TimeSpan.FromMinutes(1);

    private readonly HiLoDocument _document;
    private readonly long _lastBatchSize;
    private readonly DateTime? _lastRangeAt;
    private readonly long _lastMax;
    private readonly int _maxRange;

    /// <param name="tag">For example <c>users</c>.</param>
    /// <param name="lastBatchSize">Size of the caller's last range; 0 for none.</param>
    /// <param name="lastRangeAt">UTC time of the caller's last range; null for none.</param>
    /// <param name="lastMax">The highest id that the caller knows of; the range begins above it.</param>
    /// <param name="identityPartsSeparator">Usually <c>/</c>.</param>
    /// <param name="limits">Bounds of the range.</param>
    public NextHiLoOperation(
        string tag,
        long lastBatchSize,
        DateTime? lastRangeAt,
        long lastMax,
        char identityPartsSeparator,
        Limits limits
    )
    {
        _document = new HiLoDocument(tag);
        _lastBatchSize = lastBatchSize;
        _lastRangeAt = lastRangeAt;
        _lastMax = lastMax;
        _maxRange = limits.MaxHiLoRange;
        Prefix = tag + identityPartsSeparator;
        // A load asks for ids as it goes, and is not to hold back for itself.
        IsBackground = true;
    }

    /// <inheritdoc />
    public override long SizeBytes => _document.SizeBytes;

    internal override bool IsShort => true;

    /// <summary>For example <c>users/</c>.</summary>
    public string Prefix { get; }

    /// <summary>The first id of the range. A result.</summary>
    public long Low { get; private set; }

    /// <summary>The last id of the range. A result.</summary>
    public long High { get; private set; }

    /// <summary>Ids in the range. A result.</summary>
    public long LastSize { get; private set; }

    /// <summary>The node tag, which ends the ids made from the range. A result.</summary>
    public string ServerTag { get; private set; } = "";

    /// <summary>UTC. A result.</summary>
    public DateTime LastRangeAt { get; private set; }

    internal override void Execute(DocumentsWriter writer)
    {
        LastRangeAt = new DateTime(writer.NowTicks, DateTimeKind.Utc);
        ServerTag = writer.NodeTagText;
        LastSize = NextSize();
        // Both numbers come from clients: one in its document, which users may edit, the other in the request.
        long max = Math.Max(_document.ReadMax(writer), _lastMax);
        if (max > long.MaxValue - LastSize)
            throw new NumbersExhaustedException($"The HiLo range '{Prefix}'", max);
        Low = max + 1;
        High = max + LastSize;
        _document.WriteMax(writer, High);
    }

    private long NextSize()
    {
        if (_lastBatchSize < 1 || _lastRangeAt is not { } lastRangeAt)
            return Limits.MinHiLoRange;
        var lasted = LastRangeAt - lastRangeAt;
        long last = Math.Min(_lastBatchSize, _maxRange);
        long size =
            lasted <= s_quick ? last * 2
            : lasted > s_slow ? last / 2
            : last;
        return Math.Clamp(size, Limits.MinHiLoRange, _maxRange);
    }
}
