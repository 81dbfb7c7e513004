using System.Runtime.CompilerServices;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;

namespace Jackdaw.Storage.Data;

/// <summary>
/// The file of pages: read through a mapping that lives as long as the environment, written by positional writes, never through
/// the mapping. A file that outgrows its mapping gets a larger one beside it: pointers into the first one stay good.
/// A page is brought into memory by a system call and its checksum verified before managed code first touches it.
/// </summary>
internal sealed unsafe class DataFile : IDisposable
{
    public const string FileName = "data";

    /// <summary>Times the file's size that is reserved, so that mapping it anew stays rare.</summary>
    private const long RoomToGrow = 4;

    private readonly IDiskFile _file;
    private readonly VerifiedPages _verified;
    private byte* _mapping;
    private long _mappedPages;
    private readonly bool _checksums;
    private long _pages;
    private readonly ReadAhead _readAhead;
    private int _evictionCursor = -1;
    private byte[]? _residency;

    /// <param name="file">The file.</param>
    /// <param name="environmentId">Part of every checksum.</param>
    /// <param name="maxBytes">Its largest size in bytes.</param>
    /// <param name="checksums">False on a disk that forgets: nothing is computed or verified.</param>
    /// <param name="clock">Dates damage; null: the system's.</param>
    /// <param name="reservedBytes">Address space to reserve at first; null: for the largest size. A file that outgrows it is mapped
    /// once more, which the disk must allow.</param>
    public DataFile(
        IDiskFile file,
        Guid environmentId,
        long maxBytes,
        bool checksums,
        TimeProvider? clock = null,
        long? reservedBytes = null
    )
    {
        _file = file;
        Damaged = new DamagedPages(clock ?? TimeProvider.System);
        EnvironmentId = environmentId;
        _checksums = checksums;
        MaxPages = maxBytes / PageLayout.PageSize;
        _verified = new VerifiedPages(MaxPages);
        _pages = file.Length / PageLayout.PageSize;
        Map(Math.Max(reservedBytes ?? maxBytes, _pages * PageLayout.PageSize * RoomToGrow));
        _readAhead = new ReadAhead(this);
    }

    public Guid EnvironmentId { get; }

    public long MaxPages { get; }

    /// <summary>With the disk's root, for errors.</summary>
    public string Path => _file.FullPath;

    /// <summary>Pages that the file really holds; page numbers are checked against it before a pointer is formed.</summary>
    public long Pages => Volatile.Read(ref _pages);

    public IDiskFile File => _file;

    /// <summary>The pages that were found damaged, by whomever.</summary>
    public DamagedPages Damaged { get; }

    /// <summary>The page or run in the mapping, verified. Throws <see cref="CorruptedDataException"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Read(long page)
    {
        if ((ulong)page >= (ulong)Volatile.Read(ref _pages))
            throw Damage(page, $"page {page} lies beyond the {_pages} pages of the file");
        if (!_verified.IsSet(page))
            Verify(page);
        return _mapping + page * PageLayout.PageSize;
    }

    /// <summary>Bypasses the verified mark: what is on the file now, checked again (for `check`).</summary>
    public void VerifyAgain(long page)
    {
        _verified.Clear(page);
        Read(page);
    }

    /// <summary>
    /// Notes which pages the kernel has evicted since they were verified, so that they are brought in by a system call, and
    /// verified, once more: faulted in by
    /// managed code they would hold up every collection, and an unreadable sector would end the process. Looks at up to
    /// <paramref name="atMostBytes"/> of the file a call, going round it. For one thread.
    /// </summary>
    public void ForgetEvicted(long atMostBytes)
    {
        const long ChunkBytes = (long)VerifiedPages.ChunkPages * PageLayout.PageSize;
        // Where the system's pages are larger than ours (some ARM kernels), its answers do not say enough of one of ours.
        if (Environment.SystemPageSize > PageLayout.PageSize)
            return;
        var chunks = (int)Math.Min(_verified.ChunkCount, (Pages * PageLayout.PageSize + ChunkBytes - 1) / ChunkBytes);
        for (var left = Math.Min(chunks, Math.Max(1, atMostBytes / ChunkBytes)); left > 0; left--)
        {
            _evictionCursor = _evictionCursor + 1 < chunks ? _evictionCursor + 1 : 0;
            if (_verified.MayHaveSet(_evictionCursor) && !TryForgetEvicted(_evictionCursor))
                return;
        }
    }

    /// <summary>Takes every page for evicted: nobody has read any for a while, and nobody looks any more.</summary>
    public void ForgetAll() => _verified.ClearAll();

    private bool TryForgetEvicted(int chunk)
    {
        var systemPages = PageLayout.PageSize / Environment.SystemPageSize;
        var first = (long)chunk * VerifiedPages.ChunkPages;
        var count = (int)Math.Min(VerifiedPages.ChunkPages, Pages - first);
        _residency ??= new byte[VerifiedPages.ChunkPages * systemPages];
        if (!_file.TryTellResident(first * PageLayout.PageSize, (long)count * PageLayout.PageSize, _residency))
            return false;
        for (var i = 0; i < count; i++)
        {
            if (!_verified.IsSet(first + i))
                continue;
            var isResident = IsResident(i, 1);
            // The mark of a run's first page stands for all of it, here as far as this chunk goes.
            if (
                isResident
                && (PageHeader*)(_mapping + (first + i) * PageLayout.PageSize) is var header
                && header->Kind == PageKind.Overflow
            )
                isResident = IsResident(i, Math.Clamp(header->RunLength, 1, count - i));
            if (!isResident)
                _verified.Clear(first + i);
        }
        return true;

        bool IsResident(int page, int pages)
        {
            foreach (var part in _residency.AsSpan(page * systemPages, pages * systemPages))
            {
                if ((part & 1) == 0)
                    return false;
            }
            return true;
        }
    }

    /// <summary>Really allocates the file up to <paramref name="pages"/>.</summary>
    public void Grow(long pages)
    {
        if (pages <= Pages)
            return;
        if (pages > MaxPages)
            throw new LimitExceededException(
                "The data file",
                pages * PageLayout.PageSize,
                MaxPages * PageLayout.PageSize,
                "Storage.MaxDataFileSizeInMb"
            );
        // Before the new length is seen: whoever sees it sees the mapping that holds it.
        if (pages > _mappedPages)
            Map(pages * PageLayout.PageSize * RoomToGrow);
        _file.Allocate(Pages * PageLayout.PageSize, (pages - Pages) * PageLayout.PageSize);
        Volatile.Write(ref _pages, pages);
    }

    /// <summary>Writes whole pages as they are; their checksums are already set.</summary>
    public void Write(long page, byte* bytes, int length)
    {
        Invariant.Require(length % PageLayout.PageSize == 0 && page + length / PageLayout.PageSize <= Pages);
        FullWrite.Write(_file, page * PageLayout.PageSize, bytes, length, 1);
    }

    public void MarkVerified(long page) => _verified.Set(page);

    /// <summary>The checksum that the header of a run must carry; <paramref name="rest"/> is the run after its first page,
    /// wherever it lies.</summary>
    public uint Checksum(long page, byte* first, byte* rest, int runLength)
    {
        if (!_checksums)
            return 0;
        var crc = PageChecksum.Continue(PageChecksum.Seed(EnvironmentId, page), first + 4, PageLayout.PageSize - 4);
        if (runLength > 1)
            crc = PageChecksum.Continue(crc, rest, (runLength - 1L) * PageLayout.PageSize);
        return PageChecksum.Finish(crc);
    }

    /// <summary>Returns the error of a damaged page, for the caller to throw, and remembers it.</summary>
    public CorruptedDataException Damage(long page, string what) =>
        Damaged.Noted(
            new CorruptedDataException(
                Path,
                page * PageLayout.PageSize,
                what,
                isShared: page == PageLayout.MetaPage || FreeSpace.IsBitmapPage(page)
            )
        );

    public void Dispose()
    {
        _verified.Dispose();
        _file.Dispose();
    }

    private void Map(long bytes)
    {
        _mappedPages = Math.Min(bytes / PageLayout.PageSize, MaxPages);
        _mapping = _file.Map(_mappedPages * PageLayout.PageSize);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Verify(long page)
    {
        var offset = page * PageLayout.PageSize;
        _readAhead.Note(page);
        _file.Populate(offset, PageLayout.PageSize);
        var memory = _mapping + offset;
        if (!_checksums)
        {
            _verified.Set(page);
            return;
        }
        var header = (PageHeader*)memory;
        var run = header->RunLength;
        if (header->PageNumber != page)
            throw Damage(page, $"page {page} carries the number {header->PageNumber}");
        if (run < 1 || run > Pages - page || (run > 1 && header->Kind != PageKind.Overflow))
            throw Damage(page, $"page {page} claims a run of {run} pages");
        if (run > 1)
            _file.Populate(offset, (long)run * PageLayout.PageSize);
        var computed = PageChecksum.Finish(
            PageChecksum.Continue(PageChecksum.Seed(EnvironmentId, page), memory + 4, (long)run * PageLayout.PageSize - 4)
        );
        if (computed != header->Checksum)
            throw Damage(page, $"page {page} fails its checksum ({header->Checksum:x8}, computed {computed:x8})");
        _verified.Set(page);
    }
}
