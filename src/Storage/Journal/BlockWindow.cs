using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Journal;

/// <summary>A part of a journal file in memory, moved along as blocks are asked for. Reads large aligned pieces.</summary>
internal sealed unsafe class BlockWindow : IDisposable
{
    private const int Bytes = 4 << 20;

    private readonly AlignedBuffer _buffer = new();
    private IDiskFile? _file;
    private long _start;
    private long _end;

    /// <summary>Turns to a file, which stays its owner's to dispose.</summary>
    public void Turn(IDiskFile file)
    {
        _buffer.Reserve(Bytes);
        _file = file;
        _start = _end = 0;
    }

    /// <summary>
    /// The memory of at least one block at the offset, and how many bytes follow there without another read; null when the file
    /// ends before.
    /// Valid until the next call.
    /// </summary>
    public byte* At(long offset, int unit, out long available)
    {
        if (offset < _start || offset + unit > _end)
            Move(offset);
        available = (_end - offset) / unit * unit;
        return available > 0 ? _buffer.Pointer + (offset - _start) : null;
    }

    public void Dispose() => _buffer.Dispose();

    private void Move(long offset)
    {
        _start = offset / RecordLayout.Alignment * RecordLayout.Alignment;
        _end = _start;
        _end += _file!.ReadAt(_start, _buffer.Pointer, Bytes);
    }
}
