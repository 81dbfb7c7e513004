using Jackdaw.Simulation.Medium;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// A note was written and synced, but neither its name nor that of its folder: after a power cut there was no note. A script that
/// had just ended the process was then taken for one that nobody had tried yet.
/// </summary>
public sealed class NoteAfterPowerCutTests
{
    [Fact]
    public void A_note_that_was_synced_survives_a_power_cut()
    {
        for (ulong seed = 0; seed < 50; seed++)
        {
            var clock = new SimulatedClock();
            using var disk = new SimulatedDisk(new SimulatedRandom(seed), 512, clock, new OperationTrace());
            using (var note = new DatabaseNote(disk, "deaths"))
            {
                note.Write(0, "kept"u8);
                note.Sync();
            }
            disk.Restart(powerCut: true);
            Assert.True(disk.Exists(DatabaseNote.PathOf("deaths")), $"seed {seed}");
            using var found = new DatabaseNote(disk, "deaths");
            var bytes = new byte[4];
            found.Read(0, bytes);
            Assert.Equal("kept"u8.ToArray(), bytes);
        }
    }
}
