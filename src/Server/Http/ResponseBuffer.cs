using System.Buffers;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Http;

/// <summary>
/// Gathers a response's bytes so that a read transaction can be copied out of without ever waiting for the network: in one pooled array up
/// to a limit, and what is more in a staged file. Sent as a whole with its length, or piece by piece between
/// transactions.
/// </summary>
/// <param name="stage">Makes the staged file; called when the memory is full.</param>
/// <param name="memoryBytes">Held in memory at most.</param>
internal sealed class ResponseBuffer(Func<StagedFile> stage, int memoryBytes = ResponseBuffer.MemoryBytes) : IBufferWriter<byte>
{
    /// <summary>Bytes that an answer holds in memory at most: enough for a piece and a large document behind it.</summary>
    public const int MemoryBytes = 4 * 1024 * 1024;

    private const int FirstSizeBytes = 8 * 1024;

    /// <summary>At most so much is taken at once because the last answer had it.</summary>
    private const int LikelySizeBytes = 32 * 1024;

    /// <summary>An array larger than this goes back to the pool after a request instead of staying with its connection.</summary>
    private const int KeptSizeBytes = 8 * 1024;

    /// <summary>Read from the staged file at once, and handed to the network before the next.</summary>
    private const int StagedPieceBytes = 64 * 1024;

    private byte[] _bytes = [];
    private int _inMemory;

    /// <summary>Bytes that the connection's last answer had in memory: the next one is likely to be about as long.</summary>
    private int _lastAnswer;
    private StagedFile? _staged;

    /// <summary>Bytes gathered, in memory and in the staged file.</summary>
    public long Length => _inMemory + (_staged?.Length ?? 0);

    /// <summary>True when a part of the bytes lies in a staged file.</summary>
    public bool IsStaged => _staged is not null;

    /// <summary>All bytes of a response that is not staged.</summary>
    public ReadOnlyMemory<byte> Written =>
        _staged is null
            ? _bytes.AsMemory(0, _inMemory)
            : throw new InvalidOperationException("A staged response is not in memory as a whole.");

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _inMemory);
        _inMemory += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(Math.Max(sizeHint, 1));
        return _bytes.AsMemory(_inMemory);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(Math.Max(sizeHint, 1));
        return _bytes.AsSpan(_inMemory);
    }

    /// <summary>Appends bytes, however many.</summary>
    /// <exception cref="StagingFullException">The staged answers leave no room for it.</exception>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > memoryBytes / 2)
        {
            Stage();
            _staged!.Append(bytes);
            return;
        }
        Reserve(bytes.Length);
        bytes.CopyTo(_bytes.AsSpan(_inMemory));
        _inMemory += bytes.Length;
    }

    /// <summary>Appends one byte.</summary>
    public void Write(byte value)
    {
        Reserve(1);
        _bytes[_inMemory++] = value;
    }

    /// <summary>Replaces bytes that were gathered before; false when they are not in memory any more.</summary>
    /// <param name="at">Where they begin in everything gathered since the buffer was empty.</param>
    /// <param name="bytes">The bytes to stand there.</param>
    public bool TryOverwrite(int at, ReadOnlySpan<byte> bytes)
    {
        if (IsStaged)
            return false;
        ArgumentOutOfRangeException.ThrowIfGreaterThan((long)at + bytes.Length, _inMemory);
        bytes.CopyTo(_bytes.AsSpan(at));
        return true;
    }

    /// <summary>Empties the buffer.</summary>
    public void Clear()
    {
        _inMemory = 0;
        ((IDisposable?)_staged)?.Dispose();
        _staged = null;
    }

    /// <summary>Empties the buffer and gives a large array back.</summary>
    public void Reset()
    {
        _lastAnswer = _inMemory;
        Clear();
        if (_bytes.Length <= KeptSizeBytes)
            return;
        BytePool.Requests.Return(_bytes);
        _bytes = [];
    }

    /// <summary>Writes everything to a stream, waiting for it after each piece.</summary>
    public async Task CopyToAsync(Stream target, CancellationToken cancellation)
    {
        if (_staged is { } staged)
            await staged.CopyToAsync(target, StagedPieceBytes, cancellation);
        await target.WriteAsync(_bytes.AsMemory(0, _inMemory), cancellation);
    }

    private void Reserve(int count)
    {
        if (_bytes.Length - _inMemory >= count)
            return;
        // What is asked for in one piece is given in memory; all writers of whole documents ask for small ones.
        if (_inMemory + (long)count > memoryBytes)
            Stage();
        if (_bytes.Length - _inMemory >= count)
            return;
        var needed = checked(_inMemory + count);
        var doubled = (int)Math.Min(2L * _bytes.Length, memoryBytes);
        var likely = Math.Min(_lastAnswer, LikelySizeBytes);
        var larger = BytePool.Requests.Rent(Math.Max(needed, Math.Max(Math.Max(FirstSizeBytes, doubled), likely)));
        _bytes.AsSpan(0, _inMemory).CopyTo(larger);
        if (_bytes.Length > 0)
            BytePool.Requests.Return(_bytes);
        _bytes = larger;
    }

    /// <summary>Moves what is in memory to the file.</summary>
    private void Stage()
    {
        _staged ??= stage();
        _staged.Append(_bytes.AsSpan(0, _inMemory));
        _inMemory = 0;
    }
}
