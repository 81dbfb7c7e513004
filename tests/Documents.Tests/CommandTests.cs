using System.Text;
using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Reading;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class CommandTests : IDisposable
{
    private readonly TestDatabase _database = new();

    private static string Cv(long etag) => $"A:{etag}-{s_id}";

    private static readonly string s_id = Ids.ChangeVector.DatabaseIdText(TestDatabase.DatabaseId);

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_document_comes_back_with_its_metadata_merged_in()
    {
        var batch = TestDatabase.Put(
            "users/1-A",
            """{"Name":"Ada","n":12.7500,"@metadata":{"@collection":"Users","Raven-Node-Type":"User","@id":"x","@change-vector":"y"}}"""
        );
        _database.Do(batch);
        var put = (PutCommand)batch.Commands[0];
        Assert.Equal("users/1-A", Encoding.UTF8.GetString(put.Id));
        Assert.Equal(Cv(1), Encoding.UTF8.GetString(put.ChangeVector));
        Assert.Equal("Users", Encoding.UTF8.GetString(put.Collection));
        Assert.Equal(
            $$$"""{"Name":"Ada","n":12.7500,"@metadata":{"Raven-Node-Type":"User","@collection":"Users","@change-vector":"{{{Cv(1)}}}","@id":"users/1-A","@last-modified":"2026-11-21T08:57:49.0000000Z"}}""",
            _database.Get("USERS/1-a")
        );
    }

    [Fact]
    public void A_document_without_a_collection_shows_none_and_counts_as_empty()
    {
        var batch = TestDatabase.Put("a", "{}");
        _database.Do(batch);
        Assert.Equal("@empty", Encoding.UTF8.GetString(((PutCommand)batch.Commands[0]).Collection));
        Assert.DoesNotContain("@collection", _database.Get("a"), StringComparison.Ordinal);
        using var reader = _database.Read();
        Assert.Equal(1, reader.Collection("@EMPTY")!.DocumentCount);
    }

    [Fact]
    public void The_casing_of_the_first_write_stays()
    {
        _database.Do(TestDatabase.Put("Users/Ä", "{}"));
        var batch = TestDatabase.Put("uSERS/ä", """{"v":2}""");
        _database.Do(batch);
        Assert.Equal("Users/Ä", Encoding.UTF8.GetString(((PutCommand)batch.Commands[0]).Id));
        using var reader = _database.Read();
        Assert.Equal(1, reader.DocumentCount);
        Assert.Contains("\"@id\":\"Users/Ä\"", _database.Get("users/ä"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("users/1", null, false, true)]
    [InlineData("users/1", "", false, true)]
    [InlineData("users/1", "", true, false)]
    [InlineData("users/1", "right", true, true)]
    [InlineData("users/1", "wrong", true, false)]
    [InlineData("users/1", "wrong", false, false)]
    public void A_put_checks_the_expected_change_vector(string id, string? expected, bool exists, bool succeeds)
    {
        if (exists)
            _database.Do(TestDatabase.Put(id, "{}"));
        expected = expected switch
        {
            "right" => Cv(1),
            "wrong" => Cv(77),
            _ => expected,
        };
        var put = TestDatabase.Put(id, """{"v":2}""", expected);
        if (succeeds)
        {
            _database.Do(put);
            return;
        }
        var error = Assert.Throws<ConcurrencyException>(() => _database.Do(put));
        Assert.Equal(id, error.Id);
        Assert.Equal(expected, error.ExpectedChangeVector);
        Assert.Equal(exists ? Cv(1) : null, error.ActualChangeVector);
        Assert.Contains("has change vector", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Text_that_is_not_a_change_vector_matches_no_document_and_the_error_says_why()
    {
        _database.Do(TestDatabase.Put("there", "{}"));
        string[] texts =
        [
            "x",
            "A:1",
            "A:1-short",
            "A:x-" + s_id,
            "a:1-" + s_id,
            Cv(1) + ",",
            "A:99999999999999999999-" + s_id,
            "\u0001é",
            new string('x', 5000),
        ];
        foreach (string text in texts)
        foreach (string id in new[] { "there", "nowhere" })
        {
            var error = Assert.Throws<ConcurrencyException>(() => _database.Do(TestDatabase.Put(id, "{}", text)));
            Assert.Equal(text[..Math.Min(text.Length, Limits.MaxChangeVectorBytes)], error.ExpectedChangeVector);
            Assert.Equal(id == "there" ? Cv(1) : null, error.ActualChangeVector);
            Assert.Contains("is not a change vector", error.Message, StringComparison.Ordinal);
            Assert.DoesNotContain(error.Message, char.IsControl);
        }
        var parsable = Assert.Throws<ConcurrencyException>(() => _database.Do(TestDatabase.Put("there", "{}", Cv(1) + ", B:2-" + s_id)));
        Assert.DoesNotContain("is not a change vector", parsable.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_put_that_would_change_the_collection_is_refused()
    {
        _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"Users"}}"""));
        _database.Do(TestDatabase.Put("a", """{"v":1,"@metadata":{"@collection":"USERS"}}"""));
        Assert.Contains("\"@collection\":\"Users\"", _database.Get("a"), StringComparison.Ordinal);
        Assert.Throws<DocumentCollectionMismatchException>(() =>
            _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"Dogs"}}"""))
        );
        Assert.Throws<DocumentCollectionMismatchException>(() => _database.Do(TestDatabase.Put("a", "{}")));
        _database.Do(TestDatabase.Delete("a"));
        _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"Dogs"}}"""));
    }

    [Fact]
    public void A_delete_leaves_a_tombstone_that_the_next_put_in_its_collection_removes()
    {
        _database.Do(TestDatabase.Put("Users/1", """{"@metadata":{"@collection":"Users"}}"""));
        var delete = TestDatabase.Delete("users/1");
        _database.Do(delete);
        Assert.Equal(2, ((DeleteCommand)delete.Commands[0]).Etag);
        using (var reader = _database.Read())
        {
            Assert.Equal(0, reader.DocumentCount);
            var tombstones = reader.Tombstones("users", 0);
            Assert.True(tombstones.MoveNext());
            Assert.Equal("Users/1", Encoding.UTF8.GetString(tombstones.Current.Id));
            Assert.Equal(1, tombstones.Current.DocumentEtag);
            Assert.Equal(2, tombstones.Current.Etag);
        }
        var nothing = TestDatabase.Delete("users/1");
        _database.Do(nothing);
        Assert.Equal(0, ((DeleteCommand)nothing.Commands[0]).Etag);
        _database.Do(TestDatabase.Put("users/1", """{"@metadata":{"@collection":"USERS"}}"""));
        using (var reader = _database.Read())
        {
            Assert.Equal(0, reader.TombstoneCount);
            Assert.Equal(3, reader.LastEtag);
            Assert.Equal(0, reader.Collection("Users")!.TombstoneCount);
        }
    }

    [Fact]
    public void A_document_that_moves_leaves_a_tombstone_in_every_collection_that_it_was_in()
    {
        // One id is the beginning of another.
        foreach (string collection in new[] { "Users", "Dogs", "Cats" })
        {
            _database.Do(TestDatabase.Put("A", $$$"""{"@metadata":{"@collection":"{{{collection}}}"}}"""));
            _database.Do(TestDatabase.Put("ab", $$$"""{"@metadata":{"@collection":"{{{collection}}}"}}"""));
            if (collection != "Cats")
                _database.Do(TestDatabase.Delete("a"));
            _database.Do(TestDatabase.Delete("ab"));
        }
        using (var reader = _database.Read())
        {
            Assert.Equal((1, 5), (reader.DocumentCount, reader.TombstoneCount));
            Assert.True(reader.TryGetNewestTombstone("a", null, out var newest));
            Assert.Equal((7, "Dogs"), (newest.Etag, Encoding.UTF8.GetString(newest.Collection)));
            Assert.True(reader.TryGetNewestTombstone("A", collection => collection == "Users", out var first));
            Assert.Equal((3, "Users"), (first.Etag, Encoding.UTF8.GetString(first.Collection)));
            Assert.False(reader.TryGetNewestTombstone("a", collection => collection == "Cats", out _));
        }
        Assert.Empty(DocumentsCheck.Run(_database.Storage));
        // Back to where it was first: there it exists again.
        _database.Do(TestDatabase.Delete("a"));
        _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"Users"}}"""));
        using (var reader = _database.Read())
        {
            Assert.False(reader.TryGetNewestTombstone("a", collection => collection == "Users", out _));
            Assert.Equal((1, 1, 2, 2), (reader.DocumentCount, Of(reader, "Users"), Of(reader, "Dogs"), Of(reader, "Cats")));
        }
        Assert.Empty(DocumentsCheck.Run(_database.Storage));
        Assert.True(_database.Storage.Check([Schema.Documents, Schema.Tombstones]).IsSound);

        static long Of(DocumentsReader reader, string collection) => reader.Collection(collection)!.TombstoneCount;
    }

    [Fact]
    public void A_document_that_is_moved_within_one_transaction_is_deleted_where_it_was_and_there_where_it_is()
    {
        _database.Do(TestDatabase.Put("a", """{"@metadata":{"@collection":"Users"}}"""));
        var batch = BatchOperation.Rent();
        batch.AddDelete().SetId("a");
        TestDatabase.AddPut(batch, "a", """{"@metadata":{"@collection":"Dogs"}}""");
        _database.Do(batch);
        using var reader = _database.Read();
        Assert.Equal(["2 deleted"], Changes(reader.Changes("users", 1)));
        Assert.Equal(["3 there"], Changes(reader.Changes("Dogs", 1)));
        Assert.Equal(["2 deleted", "3 there"], Changes(reader.Changes(1)));
        Assert.Equal(["2 deleted", "3 there"], Changes(reader.Changes(["DOGS", "Users", "dogs", "Nobody"], 1)));

        static List<string> Changes(ChangeCursor cursor)
        {
            var changes = new List<string>();
            while (cursor.MoveNext())
                changes.Add($"{cursor.CurrentEtag} {(cursor.IsCurrentTombstone ? "deleted" : "there")}");
            return changes;
        }
    }

    [Fact]
    public void Deleting_by_prefix_takes_one_etag_a_document()
    {
        foreach (string id in new[] { "users/1", "USERS/2", "users0", "user", "users/é" })
            _database.Do(TestDatabase.Put(id, "{}"));
        var batch = TestDatabase.Delete("Users/", prefix: true);
        _database.Do(batch);
        var delete = (DeleteCommand)batch.Commands[0];
        Assert.Equal(3, delete.DeletedCount);
        Assert.Equal(8, delete.Etag);
        using var reader = _database.Read();
        Assert.Equal(2, reader.DocumentCount);
        Assert.Equal(3, reader.TombstoneCount);
    }

    [Fact]
    public void Ids_are_generated_by_the_server()
    {
        var batch = TestDatabase.Put("users/", "{}");
        TestDatabase.AddPut(batch, "users|", "{}");
        TestDatabase.AddPut(batch, "Users|", "{}");
        TestDatabase.AddPut(batch, null, "{}");
        TestDatabase.AddPut(batch, "users/", "{}");
        _database.Do(batch);
        string[] ids = batch.Commands.Select(command => Encoding.UTF8.GetString(((PutCommand)command).Id)).ToArray();
        Assert.Equal(
            ["users/0000000000000000001-A", "users/1", "Users/2", "00000001-0000-0000-0000-000000000000", "users/0000000000000000005-A"],
            ids
        );
    }

    [Fact]
    public void A_generated_id_passes_over_those_in_use()
    {
        _database.Do(TestDatabase.Put("users/1", "{}"));
        _database.Do(TestDatabase.Put("users/0000000000000000003-a", "{}"));
        var batch = TestDatabase.Put("users/", "{}");
        TestDatabase.AddPut(batch, "users|", "{}");
        _database.Do(batch);
        Assert.Equal("users/0000000000000000004-A", Encoding.UTF8.GetString(((PutCommand)batch.Commands[0]).Id));
        Assert.Equal("users/2", Encoding.UTF8.GetString(((PutCommand)batch.Commands[1]).Id));
        Assert.Equal(4, ((PutCommand)batch.Commands[1]).Etag);
    }

    [Fact]
    public void Identities_are_handed_out_and_seeded()
    {
        var next = new NextIdentityOperation("Users");
        _database.Do(next);
        Assert.Equal(1, next.Value);
        var seed = new SeedIdentityOperation("users|", 1990, force: false);
        _database.Do(seed);
        Assert.Equal(1990, seed.Value);
        _database.Do(seed = new SeedIdentityOperation("users", 5, force: false));
        Assert.Equal(1990, seed.Value);
        _database.Do(next);
        Assert.Equal(1991, next.Value);
        _database.Do(seed = new SeedIdentityOperation("users", 5, force: true));
        Assert.Equal(5, seed.Value);
        using var reader = _database.Read();
        Assert.Equal([new("users|", 5)], reader.Identities());
        Assert.Equal(0, reader.LastEtag);
    }

    [Fact]
    public void Hilo_ranges_follow_the_document_and_double_when_used_up_quickly()
    {
        var first = Next(0, null);
        Assert.Equal((1, 32, 32, "users/", "A"), (first.Low, first.High, first.LastSize, first.Prefix, first.ServerTag));
        var second = Next(32, first.LastRangeAt);
        Assert.Equal((33, 96), (second.Low, second.High));
        _database.Clock.Advance(TimeSpan.FromMinutes(5));
        var slow = Next(64, second.LastRangeAt);
        Assert.Equal((97, 128), (slow.Low, slow.High));
        _database.Do(new ReturnHiLoOperation("users", 128, 100));
        _database.Do(new ReturnHiLoOperation("users", 96, 1));
        Assert.StartsWith("{\"Max\":100,", _database.Get("Raven/Hilo/users"), StringComparison.Ordinal);
        // A user's own edit, with members of his own, is respected.
        _database.Do(TestDatabase.Put("raven/hilo/USERS", """{"Note":"mine","Max":1000,"x":[1],"@metadata":{"@collection":"@hilo"}}"""));
        Assert.Equal(1001, Next(0, null).Low);
        Assert.StartsWith("""{"Note":"mine","Max":1032,"x":[1],""", _database.Get("Raven/Hilo/users"), StringComparison.Ordinal);
        Assert.Equal(5001, Next(0, null, lastMax: 5000).Low);

        NextHiLoOperation Next(long size, DateTime? at, long lastMax = 0)
        {
            var next = new NextHiLoOperation("users", size, at, lastMax, '/', Limits.Default);
            _database.Do(next);
            return next;
        }
    }

    [Fact]
    public void A_batch_is_all_or_nothing()
    {
        _database.Do(TestDatabase.Put("a", "{}"));
        string before = _database.Dump();
        var batch = TestDatabase.Put("b", """{"@metadata":{"@collection":"New"}}""");
        TestDatabase.AddPut(batch, "users|", "{}");
        TestDatabase.AddPut(batch, "a", "{}", Cv(9));
        Assert.Throws<ConcurrencyException>(() => _database.Do(batch));
        Assert.Equal(before, _database.Dump());
        _database.Do(TestDatabase.Put("c", "{}"));
        using var reader = _database.Read();
        Assert.Equal(2, reader.LastEtag);
    }

    [Fact]
    public void Ids_with_control_characters_are_kept_and_shown_escaped()
    {
        foreach (string id in new[] { "a\u0001b", "a\nb", "a\u0085b", "a\u007F", "\u001F", "ä\u0080ö\u00A0" })
        {
            _database.Do(TestDatabase.Put(id, $$$"""{"@metadata":{"@collection":"{{{JsonEncodedText.Encode(id)}}}"}}"""));
            string shown = _database.Get(id)!;
            Assert.DoesNotContain(shown, char.IsControl);
            var metadata = JsonDocument.Parse(shown).RootElement.GetProperty("@metadata");
            Assert.Equal(id, metadata.GetProperty("@id").GetString());
            Assert.Equal(id, metadata.GetProperty("@collection").GetString());
            var error = Assert.Throws<ConcurrencyException>(() => _database.Do(TestDatabase.Put(id, "{}", "")));
            Assert.Equal(id, error.Id);
            Assert.DoesNotContain(error.Message, char.IsControl);
            _database.Do(TestDatabase.Delete(id));
            Assert.Null(_database.Get(id));
        }
    }

    [Fact]
    public void A_batch_knows_what_memory_its_commands_take()
    {
        var batch = BatchOperation.Rent();
        for (int i = 0; i < 100; i++)
            TestDatabase.AddPut(batch, $"n/{i}", "{}");
        Assert.All(batch.Commands, command => Assert.InRange(command.MemoryBytes, 512, 1024));
        var patches = batch.AddBatchPatch();
        long before = patches.MemoryBytes;
        patches.Add("n/1", null);
        Assert.InRange(patches.MemoryBytes - before, 512, 1024);
        var expectations = batch.AddTrackChanges();
        before = expectations.MemoryBytes;
        expectations.Add("n/1", Cv(1));
        Assert.InRange(expectations.MemoryBytes - before, 512, 1024);
        batch.Return();
    }

    [Fact]
    public void Ids_that_are_no_text_or_contain_NUL_are_refused()
    {
        using var reader = _database.Read();
        foreach (string id in new[] { "a\0b", "\0", "a\uD800", "\uDC00a" })
        {
            Assert.Throws<InvalidDocumentIdException>(() => BatchOperation.Rent().AddPut().SetId(id));
            Assert.False(reader.TryGet(id, out _));
        }
        Assert.Throws<InvalidDocumentIdException>(() => BatchOperation.Rent().AddPut().SetId([0x61, 0xFF]));
        Assert.False(reader.TryGet([0x61, 0xFF], out _));
    }

    [Fact]
    public void Ids_over_512_bytes_are_refused_and_those_of_512_are_kept()
    {
        string id = new string('\u023A', 256);
        _database.Do(TestDatabase.Put(id, "{}"));
        Assert.NotNull(_database.Get(id));
        Assert.Throws<InvalidDocumentIdException>(() => BatchOperation.Rent().AddPut().SetId(id + "a"));
        Assert.Throws<InvalidDocumentIdException>(() => BatchOperation.Rent().AddPut().SetId(Encoding.UTF8.GetBytes(id + "a")));
        Assert.Throws<InvalidDocumentIdException>(() => BatchOperation.Rent().AddDelete().SetId(""));
        Assert.Throws<InvalidDocumentIdException>(() => _database.Do(TestDatabase.Put(new string('a', 500) + "/", "{}")));
    }

    [Fact]
    public void Large_documents_are_stored_and_replaced_whole()
    {
        string large = $$"""{"text":"{{new string('x', 300_000)}}"}""";
        _database.Do(TestDatabase.Put("big", large));
        Assert.Equal(large.Length, ReadBodyLength("big"));
        _database.Do(TestDatabase.Put("big", large.Replace('x', 'y')));
        _database.Do(TestDatabase.Put("big", "{}"));
        Assert.Equal(2, ReadBodyLength("big"));

        int ReadBodyLength(string id)
        {
            using var reader = _database.Read();
            Assert.True(reader.TryGet(id, out var document));
            return document.Body.Length;
        }
    }
}
