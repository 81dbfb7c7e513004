namespace Jackdaw.Storage.Journal;

/// <summary>
/// Decides whether a record is compressed. A direct write takes a fixed time, which compression does not change, and so much a
/// byte; compression
/// takes so much a byte and leaves a part of them. All of it is measured as the journal is written; while compression is off, a
/// sample is compressed now
/// and then.
/// </summary>
internal sealed class CompressionJudge
{
    /// <summary>Below this the fixed time of a write outweighs its bytes.</summary>
    public const long MinPayloadBytes = 64 << 10;

    /// <summary>Bytes compressed to learn what compression would bring.</summary>
    public const int SampleBytes = 32 << 10;

    private const int RecordsBetweenSamples = 64;

    /// <summary>The processor has other work, so compression has to save clearly more than it takes.</summary>
    private const double Margin = 1.25;

    private const double Weight = 0.125;

    private readonly JournalCompression _mode;
    private readonly bool _available;
    private readonly WriteTimes _writes = new();
    private double _compressNsPerByte = double.NaN;
    private double _ratio = double.NaN;
    private int _untilSample;
    private bool _sampleDue;

    public CompressionJudge(JournalCompression mode, bool available)
    {
        _mode = mode;
        _available = available;
    }

    /// <summary>
    /// Whether a record of at most so many payload bytes may want compressing or sampling, so that its payload has to lie in one piece.
    /// To be asked once a record.
    /// </summary>
    public bool Considers(long maxPayloadBytes)
    {
        _sampleDue = false;
        if (!_available || _mode != JournalCompression.WhenItPays)
            return _available && _mode == JournalCompression.Always;
        if (maxPayloadBytes < MinPayloadBytes)
            return false;
        if (Pays)
            return true;
        if (--_untilSample >= 0)
            return false;
        _untilSample = RecordsBetweenSamples;
        _sampleDue = true;
        return true;
    }

    /// <summary>Whether the payload that was considered, now that its size is known, is one to take a sample of.</summary>
    public bool TakesSample(long payloadBytes) => _sampleDue && payloadBytes >= MinPayloadBytes;

    public bool ShouldCompress(long payloadBytes) => _mode == JournalCompression.Always || (payloadBytes >= MinPayloadBytes && Pays);

    public void Compressed(long bytes, long becameBytes, TimeSpan elapsed)
    {
        Average(ref _compressNsPerByte, elapsed.TotalNanoseconds / bytes);
        Average(ref _ratio, (double)becameBytes / bytes);
    }

    public void Wrote(long bytes, TimeSpan elapsed) => _writes.Add(bytes, elapsed.TotalNanoseconds);

    /// <summary>False while anything is unmeasured: comparisons with NaN are.</summary>
    private bool Pays => (1 - _ratio) * _writes.NsPerByte > _compressNsPerByte * Margin;

    private static void Average(ref double average, double value) =>
        average = double.IsNaN(average) ? value : average + Weight * (value - average);
}
