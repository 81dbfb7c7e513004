using System.Diagnostics;
using System.Runtime.InteropServices;
using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>Pages that the kernel took back after they had been read and verified.</summary>
public sealed unsafe partial class EvictedPagesTests : IDisposable
{
    private const int MADV_PAGEOUT = 21; // uapi/asm-generic/mman-common.h, since Linux 5.4
    private const int RunPages = 5;
    private const long SinglePage = 1;
    private const long RunStart = 2;
    private const long Pages = RunStart + RunPages;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-evicted-").FullName;
    private readonly Guid _id = Guid.NewGuid();
    private readonly LinuxDisk _disk;
    private readonly DataFile _data;
    private readonly byte* _mapping;

    public EvictedPagesTests()
    {
        _disk = new LinuxDisk(_folder);
        _data = new DataFile(_disk.Open(DataFile.FileName, DiskFileMode.Data, create: true), _id, 1 << 30, checksums: true);
        _data.Grow(Pages);
        WritePages(SinglePage, 1, PageKind.TreeLeaf);
        WritePages(RunStart, RunPages, PageKind.Overflow);
        _data.File.Sync();
        _mapping = _data.Read(SinglePage) - SinglePage * PageLayout.PageSize;
        _data.Read(RunStart);
    }

    public void Dispose()
    {
        _data.Dispose();
        _disk.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public void A_page_that_was_evicted_is_verified_again_when_it_is_next_read()
    {
        Evict(SinglePage);
        DamageOnDisk(SinglePage);
        _data.ForgetEvicted(1 << 30);

        Assert.Throws<CorruptedDataException>(() => _data.Read(SinglePage));
    }

    [Fact]
    public void A_run_of_which_a_later_page_was_evicted_is_verified_again_as_a_whole()
    {
        Evict(RunStart + RunPages - 1);
        DamageOnDisk(RunStart + RunPages - 1);
        _data.ForgetEvicted(1 << 30);

        Assert.Throws<CorruptedDataException>(() => _data.Read(RunStart));
    }

    [Fact]
    public void A_page_that_stayed_in_memory_is_not_verified_again()
    {
        DamageInCache(SinglePage);
        _data.ForgetEvicted(1 << 30);

        Assert.True(_data.Read(SinglePage) != null);
    }

    [Fact]
    public void Reading_one_cold_page_brings_in_that_page_alone()
    {
        const long Others = 512;
        _data.Grow(Pages + Others);
        for (long page = Pages; page < Pages + Others; page++)
            WritePages(page, 1, PageKind.TreeLeaf);
        _data.File.Sync();
        // What was only written is in the page cache; mapping it first is what lets it be paged out from here.
        _data.File.Populate(Pages * PageLayout.PageSize, Others * PageLayout.PageSize);
        var residency = Evict(Pages, Others);
        _data.Read(Pages + Others / 2);

        Assert.True(_data.File.TryTellResident(Pages * PageLayout.PageSize, Others * PageLayout.PageSize, residency));
        Assert.Equal(PageLayout.PageSize / Environment.SystemPageSize, residency.Count(part => (part & 1) != 0));
    }

    private void WritePages(long page, int count, PageKind kind)
    {
        var bytes = new byte[count * PageLayout.PageSize];
        new Random((int)page).NextBytes(bytes);
        fixed (byte* memory = bytes)
        {
            *(PageHeader*)memory = new PageHeader
            {
                Kind = kind,
                RunLength = count,
                PageNumber = page,
            };
            ((PageHeader*)memory)->Checksum = _data.Checksum(page, memory, memory + PageLayout.PageSize, count);
            _data.Write(page, memory, bytes.Length);
        }
    }

    /// <summary>Takes a page out of this process's mapping and out of the page cache.</summary>
    private void Evict(long page) => Evict(page, 1);

    /// <summary>
    /// Takes pages out, and returns where to look which parts are resident. The kernel passes over what waits in another
    /// processor's list of new pages, or is being written: then again.
    /// </summary>
    private byte[] Evict(long page, long count)
    {
        var residency = new byte[count * PageLayout.PageSize / Environment.SystemPageSize];
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            Assert.Equal(0, MAdvise((nint)(_mapping + page * PageLayout.PageSize), (nint)(count * PageLayout.PageSize), MADV_PAGEOUT));
            Assert.True(_data.File.TryTellResident(page * PageLayout.PageSize, count * PageLayout.PageSize, residency));
            int left = residency.Count(part => (part & 1) != 0);
            if (left == 0)
                return residency;
            Assert.True(Stopwatch.GetElapsedTime(began) < Eventually.Patience, $"{left} parts stay in memory.");
            Thread.Sleep(5);
        }
    }

    /// <summary>Past the page cache: what is there now is what the next read from the disk brings.</summary>
    private void DamageOnDisk(long page)
    {
        using var direct = _disk.Open(DataFile.FileName, DiskFileMode.Direct, create: false);
        using var noise = new Disk.AlignedBuffer(4096).FillRandomly(7);
        FullWrite.Write(direct, page * PageLayout.PageSize + 4096, noise.Start, noise.Length, 4096);
    }

    private void DamageInCache(long page)
    {
        byte other = (byte)~_mapping[page * PageLayout.PageSize + 5000];
        _data.File.WriteAt(page * PageLayout.PageSize + 5000, &other, 1);
    }

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int MAdvise(nint address, nint length, int advice);
}
