using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Pages;
using Xunit;

namespace Jackdaw.Storage.Tests.Data;

/// <summary>Address space that is reserved for data files.</summary>
public sealed unsafe class ReservationTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-reservation-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>With the largest size reserved for each, the address space of a process ends after some 500.</summary>
    [Fact]
    public void A_thousand_data_files_are_mapped_at_once()
    {
        using var disk = new LinuxDisk(_folder);
        var files = new List<DataFile>();
        try
        {
            for (int i = 0; i < 1000; i++)
            {
                var file = disk.Open($"data{i}", DiskFileMode.Data, create: true);
                files.Add(
                    new DataFile(
                        file,
                        Guid.NewGuid(),
                        256L << 30,
                        checksums: false,
                        reservedBytes: EnvironmentOptions.SmallReservationBytes
                    )
                );
            }
        }
        finally
        {
            foreach (var file in files)
                file.Dispose();
        }
        Assert.Equal(1000, files.Count);
    }

    [Fact]
    public void A_file_that_outgrows_its_reservation_is_mapped_again_and_former_pointers_stay_good()
    {
        using var disk = new LinuxDisk(_folder);
        using var file = new DataFile(
            disk.Open(DataFile.FileName, DiskFileMode.Data, create: true),
            Guid.NewGuid(),
            1L << 30,
            checksums: false,
            reservedBytes: 1 << 20
        );
        const int PagesReserved = (1 << 20) / PageLayout.PageSize;
        file.Grow(PagesReserved);
        Write(file, 1, 11);
        byte* first = file.Read(1);
        // Each growth is beyond what is reserved: three mappings beside the first.
        for (long pages = PagesReserved * 5; pages <= PagesReserved * 125; pages *= 5)
        {
            file.Grow(pages);
            Write(file, pages - 1, (byte)(pages % 251));
            Assert.Equal((byte)(pages % 251), file.Read(pages - 1)[100]);
            Assert.Equal(11, first[100]);
        }
        Write(file, 1, 12);
        Assert.Equal(12, first[100]);
        Assert.Equal(12, file.Read(1)[100]);
        file.ForgetEvicted(1 << 30);
        Assert.Equal(12, file.Read(1)[100]);
    }

    [Fact]
    public void An_environment_grows_beyond_its_reservation_while_a_reader_is_at_work()
    {
        using var disk = new LinuxDisk(_folder);
        var options = new EnvironmentOptions
        {
            JournalFileBytes = 1 << 20,
            MaxDataFileBytes = 1L << 30,
            ReservedDataFileBytes = 1 << 20,
        };
        using (var environment = StorageEnvironment.Open(disk, options))
        {
            Put(environment, 0);
            environment.FlushAndSync();
            using var reader = environment.BeginRead("test");
            Assert.True(reader.Catalog.TryOpenTree("values", out var values));
            for (int i = 1; i < 40; i++)
            {
                Put(environment, i);
                Assert.True(values.TryGet("0"u8, out var value));
                Assert.Equal(100_000, value.Length);
            }
        }
        using (var environment = StorageEnvironment.Open(disk, options))
        {
            using var reader = environment.BeginRead("test");
            Assert.True(reader.Catalog.TryOpenTree("values", out var values));
            Assert.Equal(40, values.EntryCount);
        }
    }

    private static void Put(StorageEnvironment environment, int i)
    {
        using (var writer = environment.BeginWrite())
        {
            writer.Catalog.OpenTree("values").Put(System.Text.Encoding.UTF8.GetBytes($"{i}"), new byte[100_000]);
            writer.Commit();
        }
        while (environment.RunJournalStep()) { }
    }

    private static void Write(DataFile file, long page, byte value)
    {
        var bytes = new byte[PageLayout.PageSize];
        bytes.AsSpan().Fill(value);
        fixed (byte* start = bytes)
            file.Write(page, start, bytes.Length);
    }
}
