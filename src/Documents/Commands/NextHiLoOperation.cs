namespace Jackdaw.Documents.Commands;

/// <summary>
/// Hands out a range of ids for a tag: <c>Max+1 … Max+size</c> of the document <c>Raven/Hilo/&lt;tag&gt;</c>, whose Max is raised. The size is 32 at first, doubles when
/// the last range went quickly, shrinks when it went slowly. Results are valid once it has been awaited.
/// </summary>
public sealed class NextHiLoOperation : MergedOperation
{
    /// <param name="tag">For example <c>users</c>.</param>
    /// <param name="lastBatchSize">Size of the caller's last range; 0 for none.</param>
    /// <param name="lastRangeAt">UTC time of the caller's last range; null for none.</param>
    /// <param name="lastMax">The highest id that the caller knows of; the range begins above it.</param>
    /// <param name="identityPartsSeparator">Usually <c>/</c>.</param>
    /// <param name="limits">Bounds of the range.</param>
    public NextHiLoOperation(string tag, long lastBatchSize, DateTime? lastRangeAt, long lastMax, char identityPartsSeparator, Limits limits)
        => throw new NotSupportedException();

    public override long SizeBytes => throw new NotSupportedException();

    /// <summary>For example <c>users/</c>.</summary>
    public string Prefix => throw new NotSupportedException();

    /// <summary>The first id of the range.</summary>
    public long Low { get; private set; }

    /// <summary>The last id of the range.</summary>
    public long High { get; private set; }

    public long LastSize { get; private set; }

    public string ServerTag => throw new NotSupportedException();

    /// <summary>UTC.</summary>
    public DateTime LastRangeAt { get; private set; }
}
