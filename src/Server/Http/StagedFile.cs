using System.Buffers;
using System.IO.MemoryMappedFiles;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Server.Http;

/// <summary>
/// Bytes in an unnamed temporary file, read through a mapping: as memory to the reader, but in the system's page cache and not on
/// the managed
/// heap. The file is deleted right after it is made, so that nothing stays behind whatever happens to the process.
/// </summary>
internal sealed class StagedFile : MemoryManager<byte>
{
    private const int ErrnoQuota = 122;
    private const string Operation = "staging a large request body or answer";

    private readonly FileStream _file;
    private readonly string _directory;
    private readonly StagingSpace _space;
    private long _taken;
    private MemoryMappedFile? _mapping;
    private MemoryMappedViewAccessor? _view;
    private unsafe byte* _start;

    private StagedFile(FileStream file, string directory, StagingSpace space)
    {
        _file = file;
        _directory = directory;
        _space = space;
    }

    public long Length { get; private set; }

    /// <exception cref="DiskFullException">There is no room for it.</exception>
    public static StagedFile Create(string directory, StagingSpace space)
    {
        try
        {
            Directory.CreateDirectory(directory);
            var path = Path.Combine(directory, $"jackdaw-{Environment.ProcessId}-{Guid.NewGuid():N}.staged");
            var file = new FileStream(
                path,
                new FileStreamOptions
                {
                    Mode = FileMode.CreateNew,
                    Access = FileAccess.ReadWrite,
                    Share = FileShare.Delete,
                    BufferSize = 0,
                    Options = FileOptions.Asynchronous,
                }
            );
            File.Delete(path);
            return new StagedFile(file, directory, space);
        }
        catch (IOException e) when (IsFull(e))
        {
            throw new DiskFullException(directory, Operation, 0, e.HResult);
        }
    }

    /// <exception cref="DiskFullException">There is no room for it.</exception>
    /// <exception cref="StagingFullException">Staged bodies take all that they may take together.</exception>
    public async ValueTask AppendAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellation)
    {
        _space.Take(bytes.Length);
        _taken += bytes.Length;
        try
        {
            await _file.WriteAsync(bytes, cancellation);
        }
        catch (IOException e) when (IsFull(e))
        {
            throw new DiskFullException(_directory, Operation, Length, e.HResult);
        }
        Length += bytes.Length;
    }

    /// <summary>As <see cref="AppendAsync"/>, without giving up the thread: for bytes that are copied out of a read transaction.</summary>
    /// <exception cref="DiskFullException">There is no room for it.</exception>
    /// <exception cref="StagingFullException">Staged answers take all that they may take together.</exception>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        _space.Take(bytes.Length);
        _taken += bytes.Length;
        try
        {
            RandomAccess.Write(_file.SafeFileHandle, bytes, Length);
        }
        catch (IOException e) when (IsFull(e))
        {
            throw new DiskFullException(_directory, Operation, Length, e.HResult);
        }
        Length += bytes.Length;
    }

    /// <summary>Writes everything to a stream, waiting for it after each piece.</summary>
    public async Task CopyToAsync(Stream target, int pieceBytes, CancellationToken cancellation)
    {
        var piece = BytePool.Requests.Rent(pieceBytes);
        try
        {
            for (long at = 0; at < Length; )
            {
                var read = await RandomAccess.ReadAsync(_file.SafeFileHandle, piece.AsMemory(0, pieceBytes), at, cancellation);
                if (read == 0)
                    throw new EndOfStreamException($"A staged file of {Length:N0} bytes ends at {at:N0}.");
                await target.WriteAsync(piece.AsMemory(0, read), cancellation);
                at += read;
            }
        }
        finally
        {
            BytePool.Requests.Return(piece);
        }
    }

    /// <summary>Ends the writing: from now on <see cref="MemoryManager{T}.Memory"/> may be used.</summary>
    public unsafe void Seal()
    {
        if (Length > int.MaxValue)
            throw new InvalidOperationException($"A staged body of {Length} bytes cannot be read as one piece.");
        if (Length == 0)
            return;
        _mapping = MemoryMappedFile.CreateFromFile(_file, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: true);
        _view = _mapping.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _start);
    }

    public override unsafe Span<byte> GetSpan() => new(_start, (int)Length);

    public override unsafe MemoryHandle Pin(int elementIndex = 0) => new(_start + elementIndex);

    public override void Unpin()
    {
        // The mapping does not move.
    }

    /// <summary>On Linux the code of an error of the file system is errno itself.</summary>
    private static bool IsFull(IOException e) => e.HResult is DiskFullException.ErrnoNoSpace or ErrnoQuota;

    protected override unsafe void Dispose(bool disposing)
    {
        if (_start != null)
        {
            _start = null;
            _view!.SafeMemoryMappedViewHandle.ReleasePointer();
        }
        _view?.Dispose();
        _mapping?.Dispose();
        _file.Dispose();
        Length = 0;
        _space.Return(_taken);
        _taken = 0;
    }
}
