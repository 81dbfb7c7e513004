using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>
/// When the log went on in the spare, the disk wrote the spare's new header to another place. At its own place the file still looked like a
/// spare: blank, or with the header of an earlier use. Recovery took it for one, ended the log in the file before, and gave up
/// every transaction
/// acknowledged since, in silence. What tells: the first block after the header continues the log, with a salt that the header
/// does not name.
/// </summary>
public sealed unsafe class MisplacedJournalHeaderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_file_that_goes_on_without_a_header_of_its_own_is_reported(bool recycled)
    {
        using var disk = SimulatedMachine.NewDisk(1);
        var environment = SimulatedMachine.Open(disk, 1);
        var path = "";
        for (var round = 0; path.Length == 0; round++)
        {
            var blank = disk.FilesUnder("journal")
                .Where(file => disk.Content(file.Path)[..512].IndexOfAnyExcept((byte)0) < 0)
                .Select(file => file.Path)
                .ToList();
            SimulatedMachine.Put(environment, $"key {round}", valueBytes: 20_000);
            path = blank.Find(file => disk.Exists(file) && disk.Content(file)[..512].IndexOfAnyExcept((byte)0) >= 0) ?? "";
            while (environment.RunSpareStep()) { }
        }
        SimulatedMachine.Put(environment, "acknowledged");
        SimulatedMachine.Kill(disk, environment, powerCut: false);
        var before = recycled ? OfAnEarlierUse(disk.Content(path)) : new byte[512];
        disk.Damage(path, 0, bytes => before.CopyTo(bytes));

        try
        {
            environment = SimulatedMachine.Open(disk, 2);
        }
        catch (CorruptedDataException damage)
        {
            Assert.StartsWith($"{disk.Description}/journal/", damage.Path, StringComparison.Ordinal);
            return;
        }
        var found = SimulatedMachine.Has(environment, "acknowledged");
        SimulatedMachine.Kill(disk, environment, powerCut: false);
        Assert.Fail(found ? "the damage did not matter" : "an acknowledged transaction is gone, and nobody was told");
    }

    private static byte[] OfAnEarlierUse(ReadOnlySpan<byte> header)
    {
        var block = new byte[512];
        fixed (byte* current = header)
        fixed (byte* earlier = block)
        {
            var use = JournalFileHeader.From(current);
            (use with { Sequence = use.Sequence - 1, Salt = use.Salt ^ 12345, FirstTransaction = 1 }).WriteTo(earlier);
        }
        return block;
    }
}
