using System.Diagnostics;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Xunit;

namespace Jackdaw.Storage.Tests.Space;

public class BackedSpaceTests
{
    private const int Unit = BackedSpace.UnitPages;
    private const long UnitBytes = (long)Unit * PageLayout.PageSize;

    [Fact]
    public void Only_whole_units_inside_a_free_run_are_punched_and_a_claim_brings_them_back()
    {
        using var file = new HoleyFile { Length = 10 * UnitBytes };
        using var space = new BackedSpace(file);
        Assert.False(space.NeedsBacking(0, 10 * Unit));

        Assert.Equal(3 * UnitBytes, space.Punch([new PageRun(Unit + 1, 4 * Unit - 2), new PageRun(7 * Unit, Unit)], 5));
        Assert.Equal(["punch 2+2", "punch 7+1"], file.Calls);
        Assert.Equal(3 * UnitBytes, space.HoleBytes);
        Assert.False(space.NeedsBacking(0, 2 * Unit));
        Assert.True(space.NeedsBacking(4 * Unit - 1, 1));

        file.Calls.Clear();
        space.Claim(6, 4 * Unit - 1, 2);
        space.Claim(6, 3 * Unit, 1); // the same unit, the same transaction: nothing to do
        Assert.Equal(["allocate 3+1"], file.Calls);
        Assert.False(space.NeedsBacking(3 * Unit, Unit));
        Assert.True(space.NeedsBacking(2 * Unit, 1));
    }

    [Fact]
    public void What_a_later_transaction_has_claimed_is_not_punched_by_an_older_view()
    {
        using var file = new HoleyFile { Length = 10 * UnitBytes };
        using var space = new BackedSpace(file);
        space.Claim(8, 2 * Unit + 5, 1);
        Assert.Equal(9 * UnitBytes, space.Punch([new PageRun(0, 10 * Unit)], 7));
        Assert.Equal(["punch 0+2", "punch 3+7"], file.Calls);
        Assert.Equal(0, space.Punch([new PageRun(0, 2 * Unit)], 8)); // a hole already
        Assert.Equal(UnitBytes, space.Punch([new PageRun(2 * Unit, Unit)], 8));
    }

    [Fact]
    public void Holes_of_the_file_system_are_known_after_opening()
    {
        using var file = new HoleyFile { Length = 6 * UnitBytes + PageLayout.PageSize };
        file.Holes.Add((UnitBytes + 4096, 4096));
        file.Holes.Add((3 * UnitBytes - 4096, 8192));
        file.Holes.Add((6 * UnitBytes, PageLayout.PageSize));
        using var space = new BackedSpace(file);
        Assert.Equal(4 * UnitBytes, space.HoleBytes);
        Assert.Equal(
            [false, true, true, true, false, false, true],
            Enumerable.Range(0, 7).Select(unit => space.NeedsBacking(unit * Unit, 1))
        );
        space.Claim(1, 6 * Unit, 1); // the last unit is only partly in the file
        Assert.Equal(["allocate 6+0"], file.Calls);
    }

    [Fact]
    public void A_full_disk_leaves_the_hole_known_and_a_failed_punch_counts_as_a_hole()
    {
        using var file = new HoleyFile { Length = 4 * UnitBytes };
        using var space = new BackedSpace(file);
        space.Punch([new PageRun(0, Unit)], 1);
        file.Fails = true;
        Assert.Throws<DiskFullException>(() => space.Claim(2, 0, 1));
        Assert.True(space.NeedsBacking(0, 1));
        Assert.Throws<DiskFullException>(() => space.Punch([new PageRun(2 * Unit, Unit)], 2));
        Assert.True(space.NeedsBacking(2 * Unit, 1));
        file.Fails = false;
        space.Claim(2, 0, 1);
        Assert.False(space.NeedsBacking(0, 1));
    }

    [Fact]
    public void Claims_and_punches_of_two_threads_leave_every_claimed_unit_backed()
    {
        const int units = 64;
        using var file = new HoleyFile { Length = units * UnitBytes, Track = true };
        using var space = new BackedSpace(file);
        long durable = 0;
        bool stop = false;
        long punched = 0;
        var puncher = new Thread(() =>
        {
            while (!Volatile.Read(ref stop))
                punched += space.Punch([new PageRun(0, units * Unit)], Volatile.Read(ref durable));
        });
        puncher.Start();
        var random = new Random(7);
        long began = Stopwatch.GetTimestamp();
        // On until the puncher, too, has had a turn.
        for (
            long transaction = 1;
            transaction <= 20_000 || (Volatile.Read(ref punched) == 0 && Stopwatch.GetElapsedTime(began) < Eventually.Patience);
            transaction++
        )
        {
            int unit = random.Next(units);
            space.Claim(transaction, unit * Unit, 1);
            // Until this transaction counts as durable (and free in its view) nobody may take the space away.
            Assert.True(Volatile.Read(ref file.Backed[unit]) == 1, $"unit {unit} in transaction {transaction}");
            Volatile.Write(ref durable, transaction);
        }
        Volatile.Write(ref stop, true);
        puncher.Join();
        Assert.True(punched > 0);
    }

    /// <summary>Only what <see cref="BackedSpace"/> asks of a file; in units.</summary>
    private sealed unsafe class HoleyFile : IDiskFile
    {
        public HoleyFile() => Array.Fill(Backed, 1);

        public List<string> Calls { get; } = [];

        public List<(long Offset, long Length)> Holes { get; } = [];

        public int[] Backed { get; } = new int[64];

        public bool Track { get; init; }

        public bool Fails { get; set; }

        public string Path => "data";

        public string FullPath => "data";

        public long Length { get; init; }

        public void Allocate(long offset, long length) => Note("allocate", offset, length, 1);

        public void Punch(long offset, long length) => Note("punch", offset, length, 0);

        public bool TryFindHole(long offset, out long holeOffset, out long holeLength)
        {
            (holeOffset, holeLength) = Holes.FirstOrDefault(hole => hole.Offset + hole.Length > offset);
            return holeLength > 0;
        }

        public int ReadAt(long offset, byte* buffer, int length) => throw new NotSupportedException();

        public int WriteAt(long offset, byte* buffer, int length) => throw new NotSupportedException();

        public void Sync() => throw new NotSupportedException();

        public void BeginWriteBack(long offset, long length) => throw new NotSupportedException();

        public void WaitForWriteBack(long offset, long length) => throw new NotSupportedException();

        public byte* Map(long reserveBytes) => throw new NotSupportedException();

        public void Populate(long offset, long length) => throw new NotSupportedException();

        public void Dispose() { }

        private void Note(string call, long offset, long length, int backed)
        {
            if (Fails)
                throw new DiskFullException(Path, call, offset, 28);
            if (!Track)
                Calls.Add($"{call} {offset / UnitBytes}+{length / UnitBytes}");
            else
                for (long unit = offset / UnitBytes; unit < (offset + length) / UnitBytes; unit++)
                    Volatile.Write(ref Backed[unit], backed);
        }
    }
}
