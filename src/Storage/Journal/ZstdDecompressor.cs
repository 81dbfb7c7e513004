namespace Jackdaw.Storage.Journal;

/// <summary>Reads compressed records. The context is made at the first use. Not thread-safe.</summary>
internal sealed unsafe class ZstdDecompressor : IDisposable
{
    private void* _context;

    /// <summary>False, with the reason, when the source does not decompress to exactly so many bytes.</summary>
    public bool TryDecompress(byte* source, long sourceBytes, byte* target, long targetBytes, out string? reason)
    {
        Invariant.Require(ZstdLibrary.IsAvailable);
        if (_context == null)
        {
            _context = ZstdLibrary.CreateDecompressor();
            if (_context == null)
                throw new InsufficientMemoryException("zstd could not make a decompression context.");
        }
        var length = ZstdLibrary.Decompress(_context, target, (nuint)targetBytes, source, (nuint)sourceBytes);
        reason =
            ZstdLibrary.IsError(length) != 0 ? ZstdLibrary.Describe(length)
            : (long)length != targetBytes ? $"{length} bytes instead of {targetBytes}"
            : null;
        return reason is null;
    }

    public void Dispose()
    {
        if (_context != null)
            ZstdLibrary.FreeDecompressor(_context);
        _context = null;
    }
}
