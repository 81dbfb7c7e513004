using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Storage;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>The door through which other projects keep things of their own in a database.</summary>
public sealed class RoomTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-rooms-").FullName;

    private DatabasesOptions Options(params Rooms.Room[] rooms) =>
        new()
        {
            DataDir = _folder,
            Rooms = rooms,
            Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
        };

    [Fact]
    public async Task A_rooms_operations_are_merged_all_or_nothing_and_what_it_keeps_outlives_a_restart_and_compaction()
    {
        await using (var databases = Databases.Open(Options(NotesRoom.Instance)))
        {
            await databases.CreateAsync("shop", "{}"u8.ToArray());
            var database = databases.Get("shop");
            await database.SubmitAsync(new NotesRoom.Add("b"));
            // Refused after it has changed the tree: others are not, and nothing of it stays.
            var refused = database.SubmitAsync(new NotesRoom.Add("")).AsTask();
            await database.SubmitAsync(new NotesRoom.Add("a"));
            await Assert.ThrowsAsync<InvalidDocumentIdException>(() => refused);
            await database.SubmitAsync(new NotesRoom.Store("notes/x", [7]));
            Assert.Equal(["a", "b"], Texts(database));
        }
        DataFolderMaintenance.Compact(Options(NotesRoom.Instance), TextWriter.Null);
        await using (var databases = Databases.Open(Options(NotesRoom.Instance)))
        {
            Assert.Equal(["a", "b"], Texts(databases.Get("shop")));
            using var reader = databases.Get("shop").OpenRead("test");
            Assert.True(reader.Of(NotesRoom.Instance).TryGetValue("notes/x", out var value));
            Assert.Equal([7], value.ToArray());
            Assert.Equal("notes/x", reader.Of(NotesRoom.Instance).FirstKey("notes/"));
        }
        Assert.True(DataFolderMaintenance.Check(Options(NotesRoom.Instance), TextWriter.Null));
    }

    [Fact]
    public async Task A_rooms_own_rules_are_verified_by_check()
    {
        await using (var databases = Databases.Open(Options(NotesRoom.Instance)))
        {
            await databases.CreateAsync("shop", "{}"u8.ToArray());
            await databases.Get("shop").SubmitAsync(new NotesRoom.Add("a", isCounted: false));
        }
        using var output = new StringWriter();
        Assert.False(DataFolderMaintenance.Check(Options(NotesRoom.Instance), output));
        Assert.Contains("notes: counts 0 notes, and there are 1", output.ToString(), StringComparison.Ordinal);
        // Whoever does not know the room does not know its rules.
        Assert.True(DataFolderMaintenance.Check(Options(), TextWriter.Null));
    }

    [Fact]
    public async Task A_room_with_structures_that_is_not_registered_is_refused_for_check_would_not_know_it()
    {
        await using var databases = Databases.Open(Options());
        await databases.CreateAsync("shop", "{}"u8.ToArray());
        var database = databases.Get("shop");
        await Assert.ThrowsAsync<ArgumentException>(async () => await database.SubmitAsync(new NotesRoom.Add("a")));
    }

    [Fact]
    public void A_room_reaches_no_keys_and_no_structures_but_its_own()
    {
        using var database = new TestDatabase();
        using var reader = database.Read();
        Assert.Throws<InvariantViolationException>(() => reader.Of(NotesRoom.Instance).Values("etl/"));
        Assert.Throws<InvariantViolationException>(() => reader.Of(NotesRoom.Instance).TryOpenTree("documents", out _));
    }

    private static string[] Texts(Database database)
    {
        using var reader = database.OpenRead("test");
        return NotesRoom.Texts(reader.Of(NotesRoom.Instance));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
