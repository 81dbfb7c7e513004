namespace Jackdaw.Documents.EventStreams;

/// <summary>Sees a stream; the span is valid during the call. False: no more of them.</summary>
/// <param name="number">The stream's number.</param>
/// <param name="id">Its id, UTF-8.</param>
public delegate bool StreamVisitor(long number, ReadOnlySpan<byte> id);
