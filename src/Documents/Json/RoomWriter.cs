using System.Buffers;

namespace Jackdaw.Documents.Json;

/// <summary>Writes into room that was asked for at once, so that a piece of a few bytes costs no call of the output.</summary>
/// <param name="room">It must hold all that is written.</param>
internal ref struct RoomWriter(Span<byte> room) : IBufferWriter<byte>
{
    private readonly Span<byte> _room = room;

    /// <summary>Bytes written so far.</summary>
    public int Written { get; private set; }

    /// <inheritdoc/>
    public void Advance(int count) => Written += count;

    /// <inheritdoc/>
    public readonly Span<byte> GetSpan(int sizeHint = 0) => _room[Written..];

    /// <inheritdoc/>
    public readonly Memory<byte> GetMemory(int sizeHint = 0) => throw new NotSupportedException("The room is a span.");
}
