using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Maintenance;
using Xunit;

namespace Jackdaw.Documents.Tests.Expiring;

/// <summary>The order of time follows the documents, whatever writes them.</summary>
public sealed class DocumentDatesTests : IDisposable
{
    private readonly TestDatabase _database = new();

    public void Dispose() => _database.Dispose();

    [Fact]
    public void A_document_that_is_written_again_has_its_new_dates_only()
    {
        Put("a", """ "@expires":"2027-01-01T00:00:00Z" """);
        Put("a", """ "@expires":"2028-01-01T00:00:00Z","@refresh":"2027-06-01T00:00:00Z" """);
        Assert.Equal((1, "2028-01-01T00:00:00.0000000Z"), Dates(DocumentDateKind.Expires));
        Assert.Equal((1, "2027-06-01T00:00:00.0000000Z"), Dates(DocumentDateKind.Refresh));
        Put("A", "");
        Assert.Equal((0, null), Dates(DocumentDateKind.Expires));
        Assert.Equal((0, null), Dates(DocumentDateKind.Refresh));
        RequireSound();
    }

    [Fact]
    public void A_deleted_document_leaves_no_date()
    {
        Put("a", """ "@expires":"2027-01-01T00:00:00Z","@refresh":"2027-06-01T00:00:00Z" """);
        Put("b", """ "@refresh":"2027-06-01T00:00:00Z" """);
        _database.Do(TestDatabase.Delete("a"));
        Assert.Equal((0, null), Dates(DocumentDateKind.Expires));
        Assert.Equal(1, Dates(DocumentDateKind.Refresh).Count);
        RequireSound();
    }

    [Fact]
    public void A_date_stays_in_the_document_as_it_was_written()
    {
        Put("a", """ "@expires" : "2027-01-01T02:00:00+02:00", "@refresh":"2027-06-01" """);
        string document = _database.Get("a")!;
        Assert.Contains("2027-01-01T02:00:00+02:00", document, StringComparison.Ordinal);
        Assert.Contains("\"2027-06-01\"", document, StringComparison.Ordinal);
        Assert.Equal("2027-01-01T00:00:00.0000000Z", Dates(DocumentDateKind.Expires).First);
    }

    [Fact]
    public void A_name_or_a_date_with_escapes_counts_and_of_several_the_last_one_does()
    {
        Put("a", """ "\u0040expires":"2027-01-01T00:00:00\u002B01:00" """);
        Assert.Equal("2026-12-31T23:00:00.0000000Z", Dates(DocumentDateKind.Expires).First);
        Put("a", """ "@expires":"2030-01-01","@expires":"2031-01-01" """);
        Assert.Equal((1, "2031-01-01T00:00:00.0000000Z"), Dates(DocumentDateKind.Expires));
        Put("a", """ "@expires":"2030-01-01","@expires":null """);
        Assert.Equal(0, Dates(DocumentDateKind.Expires).Count);
        RequireSound();
    }

    [Theory]
    [InlineData("\"tomorrow\"", "'tomorrow'")]
    [InlineData("\"\"", "''")]
    [InlineData("1763848673", "a number")]
    [InlineData("true", "a boolean")]
    [InlineData("[\"2027-01-01\"]", "an array")]
    [InlineData("{\"date\":\"2027-01-01\"}", "an object")]
    [InlineData("\"2027-01-01T00:00:00Z and so on and so on and so on and so on and so on\"", "and so on")]
    [InlineData("\"\\ud800\"", "ud800")]
    public void A_value_that_is_no_date_is_refused_and_the_former_version_stays(string value, string shown)
    {
        foreach (string member in (string[])["@expires", "@refresh"])
        {
            Put("a", $""" "{member}":"2027-01-01T00:00:00Z" """);
            var error = Assert.Throws<InvalidDocumentException>(() => Put("a", $""" "{member}":{value} """));
            Assert.Contains(member, error.Message, StringComparison.Ordinal);
            Assert.Contains(shown, error.Message, StringComparison.Ordinal);
            Assert.Contains("2027-01-01T00:00:00Z", _database.Get("a"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Null_is_no_date()
    {
        Put("a", """ "@expires":null,"@refresh":null """);
        Assert.Equal(0, Dates(DocumentDateKind.Expires).Count + Dates(DocumentDateKind.Refresh).Count);
    }

    [Fact]
    public void A_date_outside_of_the_metadata_means_nothing()
    {
        _database.Do(TestDatabase.Put("a", """{"@expires":"2027-01-01","@metadata":{"inner":{"@expires":"tomorrow"}}}"""));
        Assert.Equal(0, Dates(DocumentDateKind.Expires).Count);
    }

    [Fact]
    public void The_document_of_a_range_of_ids_keeps_its_date_when_a_range_is_taken()
    {
        Put("Raven/Hilo/birds", """ "@expires":"2027-01-01","@collection":"@hilo" """);
        _database.Do(new NextHiLoOperation("birds", 0, null, 0, '-', Limits.Default));
        Assert.Equal((1, "2027-01-01T00:00:00.0000000Z"), Dates(DocumentDateKind.Expires));
        RequireSound();
    }

    [Fact]
    public void Large_and_small_documents_change_their_dates_a_thousand_times()
    {
        var random = new Random(3);
        for (int i = 0; i < 1000; i++)
        {
            string text = new('x', random.Next(4) == 0 ? 40_000 : 10);
            string date = $"20{random.Next(30, 90)}-01-01";
            string members = random.Next(3) switch
            {
                0 => "",
                1 => $"\"@expires\":\"{date}\"",
                _ => $"\"@refresh\":\"{date}\",\"@expires\":\"2100-01-01\"",
            };
            _database.Do(
                random.Next(10) == 0
                    ? TestDatabase.Delete($"d/{random.Next(20)}")
                    : TestDatabase.Put($"d/{random.Next(20)}", $$$"""{"text":"{{{text}}}","@metadata":{{{{members}}}}}""")
            );
        }
        RequireSound();
    }

    [Fact]
    public void Check_finds_a_date_without_an_entry_an_entry_without_a_document_and_a_date_that_is_another()
    {
        Put("a", """ "@expires":"2027-01-01" """);
        Put("b", """ "@expires":"2028-01-01" """);
        Put("c", "");
        Span<byte> key = stackalloc byte[Schema.DateKeyBytes];
        using (var writer = _database.Storage.BeginWrite())
        {
            var tree = writer.Catalog.OpenTree(Schema.DatesTree(DocumentDateKind.Expires));
            Schema.WriteDateKey(new DateTime(2027, 1, 1).Ticks, 1, key);
            Assert.True(tree.Delete(key));
            Schema.WriteDateKey(5, 3, key);
            tree.Put(key, default);
            Schema.WriteDateKey(5, 99, key);
            tree.Put(key, default);
            writer.Commit();
        }
        while (_database.Storage.RunJournalStep()) { }
        var findings = DocumentsCheck.Run(_database.Storage);
        Assert.Equal(3, findings.Count);
        Assert.Contains(findings, finding => finding.Contains("document 'a'", StringComparison.Ordinal) && finding.Contains("no entry"));
        Assert.Contains(findings, finding => finding.Contains("etag 99, which no document has", StringComparison.Ordinal));
        Assert.Contains(findings, finding => finding.Contains("not of the date that the document with etag 3 has"));
    }

    private void Put(string id, string metadata) => _database.Do(TestDatabase.Put(id, $$$"""{"a":1,"@metadata":{{{{metadata}}}}}"""));

    private (long Count, string? First) Dates(DocumentDateKind kind)
    {
        using var reader = _database.Read();
        return (reader.CountOfDates(kind), reader.FirstDate(kind) is { } ticks ? Json.ProtocolDate.ToText(ticks, withZ: true) : null);
    }

    private void RequireSound() => Assert.Empty(DocumentsCheck.Run(_database.Storage));
}
