namespace Jackdaw.Etl.Transforming;

/// <summary>
/// How many documents share a call of the engine: as many as take a few milliseconds together, so that the call stays far from
/// the limit of one document's time, and a
/// batch's clock is looked at often enough. A transform keeps it from batch to batch.
/// </summary>
internal sealed class CallSize(int most)
{
    private static readonly TimeSpan s_wanted = TimeSpan.FromMilliseconds(5);

    /// <summary>Documents for the next call.</summary>
    public int Documents { get; private set; } = Math.Min(most, 8);

    /// <summary>Messages that a document of the last batch became.</summary>
    public double MessagesEach { get; private set; } = 1;

    /// <summary>Their bytes.</summary>
    public double BytesEach { get; private set; }

    /// <summary>What the documents of a batch became together.</summary>
    public void Made(int documents, int messages, long bytes)
    {
        if (documents == 0)
            return;
        MessagesEach = (double)messages / documents;
        BytesEach = (double)bytes / documents;
    }

    /// <summary>So many took so long.</summary>
    public void Ran(int documents, TimeSpan time)
    {
        double fit = documents * (s_wanted / TimeSpan.FromTicks(Math.Max(1, time.Ticks)));
        Documents = (int)Math.Clamp(fit, 1, Math.Min(most, 2.0 * Documents));
    }

    /// <summary>A document of a call had to be run again by itself, and those behind it wait for another call.</summary>
    public void RanInVain() => Documents = Math.Max(1, Documents / 2);

    /// <summary>A call met a limit.</summary>
    public void Reset() => Documents = 1;
}
