using System.Buffers;
using System.Runtime.CompilerServices;

namespace Jackdaw.Search.Analysis;

/// <summary>The whole text in lower case (invariant) is the term.</summary>
internal sealed class LowerCaseKeywordAnalyzer : IAnalyzer
{
    private const int StackBytes = 1024;

    [SkipLocalsInit]
    public void Analyze(ReadOnlySpan<byte> utf8, ITermSink sink)
    {
        byte[]? rented = null;
        int size = Utf8Text.MaxMappedBytes(utf8.Length);
        Span<byte> room = size <= StackBytes ? stackalloc byte[StackBytes] : (rented = ArrayPool<byte>.Shared.Rent(size));
        sink.Add(room[..Utf8Text.ToLower(utf8, room)], 0);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
    }
}
