using System.Text;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class WrittenDocumentTests
{
    private const DocumentFlags AllFlags =
        DocumentFlags.HasRevisions | DocumentFlags.HasAttachments | DocumentFlags.HasCounters | DocumentFlags.HasTimeSeries;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1_000)]
    [InlineData(31_000)]
    [InlineData(32_400)]
    [InlineData(32_768)]
    [InlineData(100_000)]
    public void A_document_of_any_size_is_written_as_its_parts_one_after_another(int textLength)
    {
        string[] ids = ["a", "orders/1-A", "\u0001\u001F\u007F\u0085\"\\é\u00A0", new string('\u0001', 500), new string('"', 500)];
        foreach (string id in ids)
        {
            foreach (var flags in (DocumentFlags[])[DocumentFlags.None, DocumentFlags.HasCounters, AllFlags])
            {
                foreach (string metadata in (string[])["", "\"x\":[1]", $"\"long\":\"{new string('m', 700)}\""])
                {
                    foreach (string collection in (string[])["@empty", "Orders", new string('\u007F', 200)])
                        RequireWritten(textLength, id, flags, metadata, collection);
                }
            }
        }
    }

    private static void RequireWritten(int textLength, string id, DocumentFlags flags, string metadata, string collection)
    {
        string body = textLength == 0 ? "{}" : $"{{\"t\":\"{new string('t', textLength)}\"}}";
        var changed = new DateTime(2026, 11, 22, 10, 0, 0, DateTimeKind.Utc).AddTicks(1234567);
        var document = new Document
        {
            Id = Encoding.UTF8.GetBytes(id),
            ChangeVector = "A:12-AbCdEfGhIjKlMnOpQrStUv"u8,
            LastModifiedTicks = changed.Ticks,
            Collection = Encoding.UTF8.GetBytes(collection),
            HasCollection = collection != "@empty",
            Flags = flags,
            Metadata = Encoding.UTF8.GetBytes(metadata),
            Body = Encoding.UTF8.GetBytes(body),
        };

        var expected = new StringBuilder(body[..^1]).Append(textLength == 0 ? "" : ",").Append("\"@metadata\":{");
        expected.Append(metadata).Append(metadata.Length == 0 ? "" : ",");
        if (collection != "@empty")
            expected.Append($"\"@collection\":\"{Escaped(collection)}\",");
        expected.Append("\"@change-vector\":\"A:12-AbCdEfGhIjKlMnOpQrStUv\",");
        if (flags == AllFlags)
            expected.Append("\"@flags\":\"HasRevisions, HasAttachments, HasCounters, HasTimeSeries\",");
        else if (flags != DocumentFlags.None)
            expected.Append($"\"@flags\":\"{flags}\",");
        expected.Append($"\"@id\":\"{Escaped(id)}\",\"@last-modified\":\"2026-11-22T10:00:00.1234567Z\"}}}}");
        Assert.Equal(expected.ToString(), TestDatabase.Text(document));
    }

    private static string Escaped(string text) =>
        string.Concat(
            text.Select(c =>
                c is '"' or '\\' ? $"\\{c}"
                : char.IsControl(c) ? $"\\u{(int)c:x4}"
                : $"{c}"
            )
        );
}
