namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>How far the slowest index was at a moment.</summary>
/// <param name="Etag">Everything up to this etag was indexed.</param>
/// <param name="At">When the answer that said so was there: <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>.</param>
internal readonly record struct IndexPosition(long Etag, long At);
