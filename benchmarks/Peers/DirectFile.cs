using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>A file opened with O_DIRECT and O_DSYNC: a write that returned is on the disk.</summary>
internal sealed class DirectFile(string path) : IDisposable
{
    private readonly int _file = Libc.OpenOrThrow(path, Libc.Create | Libc.Direct | Libc.DataSync);

    /// <summary>Writes all bytes (memory, length and offset aligned to the device's block).</summary>
    public unsafe void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        fixed (byte* start = bytes)
        {
            nint written = Libc.WriteAt(_file, start, bytes.Length, offset);
            if (written != bytes.Length)
                throw Libc.Error($"pwrite of {bytes.Length} bytes at {offset} wrote {written}, {path}");
        }
    }

    public void Dispose() => _ = Libc.Close(_file);
}
