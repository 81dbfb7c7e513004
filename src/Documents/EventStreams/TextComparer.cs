using Jackdaw.Documents.Buffers;

namespace Jackdaw.Documents.EventStreams;

/// <summary>Pieces of an append's texts as dictionary keys, compared by their bytes.</summary>
internal sealed class TextComparer(AppendOperation append) : IEqualityComparer<ByteRange>
{
    public bool Equals(ByteRange x, ByteRange y) => x == y || append.Text(x).SequenceEqual(append.Text(y));

    public int GetHashCode(ByteRange text)
    {
        var hash = default(HashCode);
        hash.AddBytes(append.Text(text));
        return hash.ToHashCode();
    }
}
