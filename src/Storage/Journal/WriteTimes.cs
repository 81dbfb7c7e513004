namespace Jackdaw.Storage.Journal;

/// <summary>
/// What a byte more adds to the time of a write: the slope of the line through recent (bytes, time), older ones fading. The time
/// that every write
/// takes, however small, is no part of it.
/// </summary>
internal sealed class WriteTimes
{
    private const int MinWrites = 64;
    private const double MinWeight = 1.0 / 256;

    /// <summary>Sizes closer together than this (standard deviation) tell nothing.</summary>
    private const double MinSpreadBytes = 8 << 10;

    /// <summary>Times that depend on the size less than this (correlation) depend on something else.</summary>
    private const double MinCorrelation = 0.3;

    private long _count;
    private double _bytes;
    private double _ns;
    private double _bytesVariance;
    private double _nsVariance;
    private double _covariance;

    /// <summary>Zero while no dependence shows.</summary>
    public double NsPerByte =>
        _count >= MinWrites
        && _bytesVariance >= MinSpreadBytes * MinSpreadBytes
        && _covariance >= MinCorrelation * Math.Sqrt(_bytesVariance * _nsVariance)
            ? _covariance / _bytesVariance
            : 0;

    public void Add(long bytes, double ns)
    {
        var weight = Math.Max(MinWeight, 1.0 / ++_count);
        var (dBytes, dNs) = (bytes - _bytes, ns - _ns);
        _bytes += weight * dBytes;
        _ns += weight * dNs;
        _bytesVariance = (1 - weight) * (_bytesVariance + weight * dBytes * dBytes);
        _nsVariance = (1 - weight) * (_nsVariance + weight * dNs * dNs);
        _covariance = (1 - weight) * (_covariance + weight * dBytes * dNs);
    }
}
