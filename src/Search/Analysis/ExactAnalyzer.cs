using System.Buffers;
using System.Text.Unicode;

namespace Jackdaw.Search.Analysis;

/// <summary>The whole text is the term.</summary>
internal sealed class ExactAnalyzer : IAnalyzer
{
    public void Analyze(ReadOnlySpan<byte> utf8, ITermSink sink)
    {
        if (Utf8.IsValid(utf8))
        {
            sink.Add(utf8, 0);
            return;
        }
        byte[] valid = ArrayPool<byte>.Shared.Rent(Utf8Text.MaxMappedBytes(utf8.Length));
        sink.Add(valid.AsSpan(0, Utf8Text.MakeValid(utf8, valid)), 0);
        ArrayPool<byte>.Shared.Return(valid);
    }
}
