using System.Text;
using Jackdaw.Documents.Errors;
using Jackdaw.Server.Endpoints.BulkInsert;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Endpoints.BulkInsert;

public sealed class BulkInsertScannerTests
{
    private static readonly string[] Objects =
    [
        """{"Id":"a","Type":"PUT","Document":{"x":[1,{"y":"}]"}],"z":"\\"}}""",
        """{"Type":"HeartBeat"}""",
        """{"Id":"quote \" and \\\\","Type":"PUT","Document":{"é":"日本 \u007b"}}""",
        "{}",
    ];

    [Fact]
    public void Objects_are_found_whatever_the_pieces_they_arrive_in()
    {
        var seed = Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        var random = new Random(seed);
        var text = Encoding.UTF8.GetBytes(" [ " + string.Join(" ,\n", Objects) + " ] ");
        for (var round = 0; round < 500; round++)
        {
            using var scanner = new BulkInsertScanner(1000);
            var found = new List<string>();
            var at = 0;
            while (at < text.Length)
            {
                var piece = random.Next(1, round % 2 == 0 ? 4 : 60);
                var end = Math.Min(at + piece, text.Length);
                while (at < end)
                {
                    at += scanner.Feed(text.AsSpan(at..end), 50);
                    if (scanner.ObjectBytes >= 50 || random.Next(8) == 0)
                        TakeAll(scanner, found);
                }
            }
            TakeAll(scanner, found);
            Assert.True(scanner.IsEnded, $"seed {seed}");
            Assert.True(Objects.SequenceEqual(found), $"seed {seed}: {string.Join("|", found)}");
        }
    }

    [Fact]
    public void An_empty_array_is_whole()
    {
        using var scanner = new BulkInsertScanner(100);
        scanner.Feed("[]"u8, 100);
        Assert.True(scanner.IsEnded);
        Assert.Equal(0, scanner.ObjectCount);
    }

    [Theory]
    [InlineData("[{\"a\":1}")]
    [InlineData("[{\"a\":1},")]
    [InlineData("[{\"a\":1},{\"b\"")]
    [InlineData("")]
    public void A_cut_array_is_not_ended(string text)
    {
        using var scanner = new BulkInsertScanner(100);
        scanner.Feed(Encoding.UTF8.GetBytes(text), 100);
        Assert.False(scanner.IsEnded);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[1]")]
    [InlineData("[{}{}]")]
    [InlineData("[{},]")]
    [InlineData("[{}]x")]
    [InlineData("[,{}]")]
    public void Anything_but_an_array_of_objects_is_refused(string text)
    {
        using var scanner = new BulkInsertScanner(100);
        Assert.Throws<BadRequestException>(() => FeedAll(scanner, Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public void An_object_over_the_limit_is_refused_before_it_is_whole()
    {
        using var scanner = new BulkInsertScanner(100);
        var refusal = Assert.Throws<TooLargeException>(() => FeedAll(scanner, Encoding.UTF8.GetBytes("[{\"a\":\"" + new string('x', 200))));
        Assert.Contains("Limits.MaxDocumentSizeInMb", refusal.Message);
    }

    private static void FeedAll(BulkInsertScanner scanner, byte[] bytes)
    {
        var at = 0;
        while (at < bytes.Length)
            at += scanner.Feed(bytes.AsSpan(at), int.MaxValue);
    }

    private static void TakeAll(BulkInsertScanner scanner, List<string> found)
    {
        if (scanner.ObjectCount == 0)
            return;
        var (bytes, objects) = scanner.Take();
        found.AddRange(objects.Select(o => Encoding.UTF8.GetString(bytes.AsSpan(o))));
    }
}
