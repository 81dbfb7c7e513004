namespace Jackdaw.Documents.Buffers;

/// <summary>Bytes appended one after another; kept by its command so that nothing is allocated once it has grown to size.</summary>
internal struct CommandBuffer
{
    /// <summary>A buffer grown past this is dropped on <see cref="Clear"/> rather than kept.</summary>
    private const int KeptBytes = 64 << 10;

    private byte[]? _bytes;
    private int _length;

    public readonly int Length => _length;

    /// <summary>Bytes of memory held.</summary>
    public readonly int Capacity => _bytes?.Length ?? 0;

    public readonly ReadOnlySpan<byte> Slice(int start, int length) => _bytes.AsSpan(start, length);

    public readonly ReadOnlySpan<byte> Slice(ByteRange range) => _bytes.AsSpan(range.Start, range.Length);

    /// <summary>Room for more bytes; valid until the next call. Only what <see cref="Advance"/> then counts is kept.</summary>
    public Span<byte> GetSpan(int bytes)
    {
        int needed = checked(_length + bytes);
        if (_bytes is null)
            _bytes = new byte[Math.Max(256, needed)];
        else if (_bytes.Length < needed)
            Array.Resize(ref _bytes, (int)Math.Min(Array.MaxLength, Math.Max(needed, 2L * _bytes.Length)));
        return _bytes.AsSpan(_length);
    }

    public void Advance(int bytes) => _length += bytes;

    public ByteRange Append(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(GetSpan(bytes.Length));
        var range = new ByteRange(_length, bytes.Length);
        _length += bytes.Length;
        return range;
    }

    public void Truncate(int length) => _length = length;

    public void Clear()
    {
        _length = 0;
        if (_bytes is { Length: > KeptBytes })
            _bytes = null;
    }
}
