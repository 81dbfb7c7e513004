using System.Buffers;

namespace Jackdaw.Server.Http;

/// <summary>
/// Gathers a response's bytes in one pooled array, so that a read transaction can be copied out of without ever waiting for the network.
/// Sent as a whole with its length, or piece by piece between transactions.
/// </summary>
internal sealed class ResponseBuffer : IBufferWriter<byte>
{
    private const int FirstSizeBytes = 8 * 1024;

    /// <summary>An array larger than this goes back to the pool after a request instead of staying with its connection.</summary>
    private const int KeptSizeBytes = 8 * 1024;

    private byte[] _bytes = [];

    public int Length { get; private set; }

    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(0, Length);

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - Length);
        Length += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(Math.Max(sizeHint, 1));
        return _bytes.AsMemory(Length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(Math.Max(sizeHint, 1));
        return _bytes.AsSpan(Length);
    }

    public void Write(ReadOnlySpan<byte> bytes)
    {
        Reserve(bytes.Length);
        bytes.CopyTo(_bytes.AsSpan(Length));
        Length += bytes.Length;
    }

    public void Write(byte value)
    {
        Reserve(1);
        _bytes[Length++] = value;
    }

    /// <summary>Takes back what was written after <paramref name="length"/>.</summary>
    public void TruncateTo(int length)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length);
        Length = length;
    }

    /// <summary>Empties the buffer and gives a large array back.</summary>
    public void Reset()
    {
        Length = 0;
        if (_bytes.Length <= KeptSizeBytes)
            return;
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
    }

    private void Reserve(int count)
    {
        if (_bytes.Length - Length >= count)
            return;
        var needed = checked(Length + count);
        var larger = ArrayPool<byte>.Shared.Rent(
            Math.Max(needed, Math.Max(FirstSizeBytes, (int)Math.Min(2L * _bytes.Length, Array.MaxLength)))
        );
        Written.Span.CopyTo(larger);
        if (_bytes.Length > 0)
            ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = larger;
    }
}
