namespace Jackdaw.Bench.Load;

/// <summary>A write whose answer has come.</summary>
/// <param name="Etag">The etag that it got.</param>
/// <param name="At">When the answer was there: <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>.</param>
internal readonly record struct AcknowledgedWrite(long Etag, long At);
