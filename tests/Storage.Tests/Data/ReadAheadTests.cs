using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Data;

public sealed unsafe class ReadAheadTests : IDisposable
{
    private const long Pages = 4096;

    private readonly NotingFile _file = new(new MemoryDisk().Open(DataFile.FileName, DiskFileMode.Data, create: true));
    private readonly DataFile _data;

    public ReadAheadTests()
    {
        _file.Allocate(0, Pages * PageLayout.PageSize);
        _data = new DataFile(_file, Guid.NewGuid(), 1 << 30, checksums: false);
    }

    public void Dispose() => _data.Dispose();

    [Fact]
    public void Point_reads_read_nothing_ahead()
    {
        var random = new Random(1);
        for (int i = 0; i < 200; i++)
            _data.Read(random.NextInt64(Pages / 16) * 16);

        Assert.Empty(_file.Begun);
    }

    [Fact]
    public void A_scan_is_read_ahead_in_growing_pieces_each_page_once_up_to_the_end_of_the_file()
    {
        for (long page = 0; page < Pages; page++)
        {
            _data.Read(page);
            Assert.True(page < 2 || page + 1 == Pages || _file.Begun[^1].End > page, $"page {page} was not asked for before it was needed");
        }

        Assert.Equal(8, _file.Begun[0].End - _file.Begun[0].Start);
        Assert.Contains(_file.Begun, piece => piece.End - piece.Start >= 64);
        Assert.All(_file.Begun.Zip(_file.Begun.Skip(1)), pair => Assert.Equal(pair.First.End, pair.Second.Start));
        Assert.Equal(Pages, _file.Begun[^1].End);
    }

    [Fact]
    public void A_scan_is_seen_although_pages_of_other_structures_lie_between()
    {
        for (long page = 0; page < Pages; page += page % 40 == 0 ? 5 : 1)
            _data.Read(page);

        Assert.Equal(Pages, _file.Begun[^1].End);
    }

    /// <summary>Notes, in pages, what was begun to be read.</summary>
    private sealed class NotingFile(IDiskFile inner) : IDiskFile
    {
        public List<(long Start, long End)> Begun { get; } = [];

        public string Path => inner.Path;

        public string FullPath => inner.FullPath;

        public long Length => inner.Length;

        public void BeginRead(long offset, long length) =>
            Begun.Add((offset / PageLayout.PageSize, (offset + length) / PageLayout.PageSize));

        public int ReadAt(long offset, byte* buffer, int length) => inner.ReadAt(offset, buffer, length);

        public int WriteAt(long offset, byte* buffer, int length) => inner.WriteAt(offset, buffer, length);

        public void Sync() => inner.Sync();

        public void BeginWriteBack(long offset, long length) => inner.BeginWriteBack(offset, length);

        public void WaitForWriteBack(long offset, long length) => inner.WaitForWriteBack(offset, length);

        public void Allocate(long offset, long length) => inner.Allocate(offset, length);

        public void Punch(long offset, long length) => inner.Punch(offset, length);

        public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
            inner.TryFindHole(offset, out holeOffset, out holeLength);

        public byte* Map(long reserveBytes) => inner.Map(reserveBytes);

        public void Populate(long offset, long length) => inner.Populate(offset, length);

        public void Dispose() => inner.Dispose();
    }
}
