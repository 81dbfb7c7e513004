namespace Jackdaw.Storage.Journal;

/// <summary>Compresses records at level 1. The context is made at the first use. Not thread-safe.</summary>
internal sealed unsafe class ZstdCompressor : IDisposable
{
    private const int Level = 1;
    private void* _context;

    /// <summary>The most bytes that so many can become.</summary>
    public static long Bound(long bytes) => (long)ZstdLibrary.CompressBound((nuint)bytes);

    /// <summary>
    /// Returns the compressed length; <paramref name="targetBytes"/> is at least <see cref="Bound"/> of the source. Where zstd
    /// cannot work (it got no
    /// memory) that is the source's length: not smaller, hence not worth storing.
    /// </summary>
    public long Compress(byte* source, long sourceBytes, byte* target, long targetBytes)
    {
        Invariant.Require(ZstdLibrary.IsAvailable && targetBytes >= Bound(sourceBytes));
        if (_context == null)
            _context = ZstdLibrary.CreateCompressor();
        if (_context == null)
            return sourceBytes;
        var length = ZstdLibrary.Compress(_context, target, (nuint)targetBytes, source, (nuint)sourceBytes, Level);
        return ZstdLibrary.IsError(length) != 0 ? sourceBytes : (long)length;
    }

    public void Dispose()
    {
        if (_context != null)
            ZstdLibrary.FreeCompressor(_context);
        _context = null;
    }
}
